"""Entry points of the lesson strip for the router.

The module imports nothing heavy: the page must appear before torch is loaded, and most visits have
no lesson.
"""

import streamlit as st

from web.view_state import address


def strip(page: str) -> None:
    """Draw the strip of the active lesson, if there is one."""
    state, named = st.session_state, st.query_params.get("lesson")
    entered, stepped = state.get("lesson_seen_on") != page, address.stepped()
    if named and (entered or stepped):
        state["lesson"] = named
    elif stepped and not entered:  # Back to before the lesson began, on the same page
        state["lesson"] = None
    state["lesson_seen_on"] = page
    if named and entered and not {*st.query_params} - {*address.OF_THE_VISIT}:
        from lessons.strip import show_view

        show_view(page)
    if state.get("lesson") and page != "lessons":
        from lessons.strip import draw

        draw(page)
