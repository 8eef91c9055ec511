"""Classroom page: open a room or join one, and what Headlight stores of a room."""

import streamlit as st

from lessons.course import course
from rooms.api.messages import page_messages
from web import components
from web.language import _
from web.widgets.share_link import share_data


def main() -> None:
    """Draw the page; the desk component is the part that differs between teacher and student."""
    known = course()
    lessons = [{"name": name, "title": known.title(name)} for name in known.lessons]
    components.desk({"words": page_messages(), "lessons": lessons, **share_data()}, key="desk")
    with st.expander(_("What is stored")):
        st.markdown(
            _(
                "- Your browser stores the room's code, a random key that identifies you in this "
                "room, and your answers.\n"
                "- **About the room**, the server stores its code, its end, its mode, the "
                "teacher's view, the lesson, and the questions with their right answers.\n"
                "- **About a student**, it stores each answer and the first answer to each step of "
                "a lesson, with their times; no names. The teacher sees counts, and a file in "
                "which each student is a number. The class sees counts after the reveal.\n"
                "- It stores a hash of each key, and no addresses or accounts. The operator of "
                "the server can read the database.\n"
                "- A room ends after a day. The server deletes all of this a week after the end. "
                "The teacher can delete it earlier."
            )
        )


main()
