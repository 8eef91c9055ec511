"""Classroom: everybody's device, one view, live answers."""

import streamlit as st

from pages import components
from pages.classroom.words import desk_words
from pages.shared.hand_out import reach
from pages.shared.language import _


def main() -> None:
    """Draw the page: what the browser draws of rooms, and what is stored of them."""
    st.title(_("Classroom"))
    components.desk({"words": desk_words(), **reach()}, key="desk")
    with st.expander(_("What is stored")):
        st.markdown(
            _(
                "- In your browser: the room's code, a random token that says to the server that "
                "you are the same as before, your answers, and a teacher's prepared questions.\n"
                "- On this server: the room's code, its view and questions, the answers with "
                "their times, and of each token only a fingerprint. No name, no address, no "
                "account.\n"
                "- The server deletes all of it a week after the room has ended."
            )
        )


main()
