"""Links to the steps of a lesson."""

from urllib.parse import urlencode

import streamlit as st

from lessons.course import Course, Place


def saved_views() -> dict[str, dict[str, str]]:
    """Return the saved query parameters of the steps that the user left, by place."""
    saved: dict[str, dict[str, str]] = st.session_state.setdefault("lesson_views", {})
    return saved


def link_to(known: Course, place: Place, *, reset: bool = False) -> str:
    """Return the URL of a step, from the root of the site; ``reset`` opens its own view."""
    step = known.step(place)
    if step is None:
        raise LookupError(str(place))
    view = (None if reset else saved_views().get(str(place))) or step.query
    language = st.query_params.get("lang")
    visit_parameters = {"lang": language} if language else {}
    return f"/{step.path}?" + urlencode({**visit_parameters, **view, "lesson": str(place)})
