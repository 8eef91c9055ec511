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
                "room, and your answers. A teacher's browser also stores prepared questions.\n"
                "- **About the room**, the server stores its code, its end, its switches and the "
                "teacher's view. It also stores the lesson and its open steps, the message of a "
                "pause, and every question with its right answers. Everybody in the room sees "
                "these, the right answers after the reveal. A lesson that the teacher adds is "
                "stored with its time; everybody with the link of one of its steps can open it.\n"
                "- **About a student**, the server stores the time and the content of each answer "
                "to a question. The teacher sees each answer with the student's number. The class "
                "sees counts after the reveal.\n"
                "- **In a lesson**, the server also stores each student's answer to a step, its "
                "outcome, the number of tries, the time, and the link of the student's page. Only "
                "the teacher sees them.\n"
                "- **Collected to compare**: the server stores the list of views, results and "
                "sketches that the teacher collects, with their names and their order. Only the "
                "teacher sees the list. What the teacher shows side by side is on the projector.\n"
                "- **Names and notes**: the server stores a name only if a student gives one, and "
                "an empty one deletes it. Only the teacher sees names. A note of the teacher is "
                "seen by its student.\n"
                "- The server stores a hash of each token, and how many students are connected. It "
                "stores no addresses or accounts. The operator of the server can read the "
                "database.\n"
                "- A room ends after a day, or at the end that its teacher sets, within 30 days. "
                "The server deletes all of this a week after the end. The teacher can save all "
                "data as one file, and delete it earlier."
            )
        )


main()
