"""The Lessons page: the course and the visitor's progress."""

import streamlit as st

from lessons.course import Course, Place, course
from lessons.strip import link_to
from web import components
from web.language import _, in_words, ngettext, plain


def main() -> None:
    """Draw the page from top to bottom."""
    known = course()
    st.title(_("Lessons"))
    st.markdown(
        _(
            "Each lesson is a box at the top of a real page. Answer from what you know, "
            "then look at the page. The models' own numbers check your answers."
        )
    )
    for problem in known.problems:
        st.warning(plain(in_words(problem)))
    components.course(_course_data(known), "course")
    st.caption(
        _(
            "This browser stores your progress; you need no account. Teachers can add "
            "lessons: see CONTRIBUTING.md."
        )
    )


def _course_data(known: Course) -> dict[str, object]:
    return {
        "lessons": [
            {
                "name": name,
                "title": lesson.title,
                "learn": lesson.learn,
                "minutes": _("{count} min").format(count=lesson.minutes),
                "links": [
                    link_to(known, Place(name, step + 1)) for step in range(len(lesson.steps))
                ],
                "group": _("Lessons of this server") if name in known.added else "",
            }
            for name, lesson in known.lessons.items()
        ],
        "strings": {
            "list": _("Lessons"),
            "begin": _("Begin"),
            "go_on": _("Go on: {title}, step {step}"),
            "clear": _("Clear my progress"),
            "summary": _(
                "Your answers: {right} right, {seen} after the solution was shown, {all} questions"
            ),
            "total": ngettext("{n} lesson", "{n} lessons", len(known.lessons)).format(
                n=len(known.lessons)
            )
            + " · "
            + _("{count} min").format(
                count=sum(lesson.minutes for lesson in known.lessons.values())
            ),
            "answered": _("{done} of {steps}"),
        },
    }


main()
