"""Classroom page: open a room or join one, and what Headlight stores of a room."""

import streamlit as st

from web import components
from web.language import _
from web.rooms.api.messages import page_messages
from web.widgets.share_link import share_data


def main() -> None:
    """Draw the page; the desk component is the part that differs between teacher and student."""
    st.title(_("Classroom"))
    components.desk({"words": page_messages(), **share_data()}, key="desk")
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
