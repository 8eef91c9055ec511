"""The way to a step: its page with its view, as it was left or as the lesson has it."""

from urllib.parse import urlencode

import streamlit as st

from pages.lessons.course import Course, Place


def views() -> dict[str, dict[str, str]]:
    """What the addresses of steps said when they were left, by place."""
    kept: dict[str, dict[str, str]] = st.session_state.setdefault("lesson_views", {})
    return kept


def link_to(known: Course, place: Place, *, anew: bool = False) -> str:
    """The address of a step, from the product's root on.

    Args:
        known: The lessons, this place among them.
        place: Of the step.
        anew: As the lesson has it, whatever was changed.
    """
    step = known.step(place)
    if step is None:
        raise LookupError(str(place))
    view = (None if anew else views().get(str(place))) or step.query
    language = st.query_params.get("lang")
    besides = {"lang": language} if language else {}
    return f"/{step.path}?" + urlencode({**besides, **view, "lesson": str(place)})
