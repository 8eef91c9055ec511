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
    state, named = st.session_state, st.query_params.get("lesson")
    entered, stepped = state.get("lesson_seen_on") != page, address.stepped()
    if stepped and not entered and named != state.get("lesson"):
        leave(page)
    if named and (entered or stepped):
        state["lesson"] = named
    elif stepped and not entered:  # back before the lesson began, on the same page
        state["lesson"] = None
    state["lesson_seen_on"] = page
    if named and entered and not {*st.query_params} - {*address.OF_THE_VISIT}:
        from pages.lessons.strip import show_view

        show_view(page)
    if state.get("lesson") and page != "lessons":
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
