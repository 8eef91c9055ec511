"""Whether a lesson is on: what the router asks on every visit.

This module imports nothing heavy: a page must be able to say what it waits for before torch is
there, and most visits are to no lesson.
"""

import streamlit as st

from pages.shared import address


def strip(page: str) -> None:
    """Draw the strip of a lesson, if one is on.

    Args:
        page: The path of the page below it.
    """
    named, known = st.query_params.get("lesson"), st.session_state.get("lesson")
    entered = st.session_state.get("lesson_seen_on") != page or address.stepped()
    if named and entered and named != known:
        st.session_state["lesson"] = known = named
    st.session_state["lesson_seen_on"] = page
    if known and page != "lessons":
        from pages.lessons.strip import draw

        draw(page)


def leave(page: str | None) -> None:
    """Keep the view of a lesson's page, which is being left; before the address is forgotten.

    Args:
        page: Its path, or None if no page was open.
    """
    if page is not None and st.session_state.get("lesson"):
        from pages.lessons.strip import keep_view

        keep_view(page)
