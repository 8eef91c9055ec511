"""Classroom page: open a room or join one, and what Headlight stores of a room."""

import streamlit as st

from web import components
from web.language import _
from web.rooms.api.messages import page_messages
from web.view_state.page_registry import lesson_titles
from web.widgets.share_link import share_data


def main() -> None:
    """Draw the page; the desk component is the part that differs between teacher and student."""
    st.title(_("Classroom"))
    data = {"words": page_messages(), "lessons": lesson_titles(), **share_data()}
    components.desk(data, key="desk")
    with st.expander(_("What is stored")):
        st.markdown(
            _(
                "- Your browser stores the room's code, a random token that identifies you in this "
                "room, your answers, and the questions that a teacher has prepared.\n"
                "- The server stores the room's code, its view and questions, the answers with "
                "their times, and a hash of each token. It stores no addresses or accounts, and "
                "a name only if a student gives one.\n"
                "- While the class works on a lesson, the server also stores each student's "
                "answers to its steps and the link of their page. Only the teacher sees them.\n"
                "- The server deletes all of this a week after the room has ended."
            )
        )


main()
