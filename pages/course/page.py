"""The Lessons page: the course with the visitor's progress, and the glossary."""

from collections.abc import Iterable

import streamlit as st

from lessons.course import Course, LessonPlace, course
from lessons.strip import link_to
from pages.course.url import Lessons
from web import components
from web.language import N_, _, in_words, plain, translated
from web.view_state import address
from web.widgets.glossary import draw_meanings, terms

ERRORS = "twenty-common-errors"

LessonRow = dict[str, object]


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(Lessons.fields)
    part = Lessons.part.draw()
    st.markdown(translated(WHAT_TO_DO[part]))
    if part == "glossary":
        # This encoding has the common Chinese characters in the order of their pinyin.
        meanings = sorted(terms().items(), key=lambda each: each[0].casefold().encode("gb18030"))
        draw_meanings({plain(term): plain(sentence) for term, sentence in meanings})
    else:
        _list(part)
    address.keep(Lessons.fields)


WHAT_TO_DO = {
    "short": N_(
        "**Five lessons of 5 to 7 minutes, each at the top of a real page.** Answer from what you "
        "know, then look at the page. The models' own numbers check your answers."
    ),
    "all": N_("**The whole course.** This browser stores your progress; you need no account."),
    "errors": N_(
        "**Twenty errors that learners made: each sentence below is wrong.** Open one, and the "
        "models' numbers correct it."
    ),
    "glossary": N_("**One sentence for each term.**"),
}


def _list(part: str) -> None:
    """Draw the lessons, or the questions of one."""
    known = course()
    for problem in known.problems:
        st.warning(plain(in_words(problem)))
    if part == "errors":
        rows = _questions(known, ERRORS)
    else:
        rows = _lessons(known, known.lessons if part == "all" else known.short)
    strings = {
        "list": Lessons.part.names()[part],
        "begin": _("Begin"),
        "go_on": _("Go on: {title} (step {step})"),
        "clear": _("Clear my progress"),
        "summary": _("You answered {right} of {all} questions right."),
        "summary_seen": _(
            "You answered {right} of {all} questions right. For {seen}, you saw the solution."
        ),
        "answered": _("{count} of {all}"),
    }
    components.course({"rows": [*rows], "strings": strings}, "course")


def _lessons(known: Course, names: Iterable[str]) -> Iterable[LessonRow]:
    for name in names:
        lesson = known.lessons[name]
        yield {
            "number": str([*known.lessons].index(name) + 1),
            "title": lesson.title,
            "learn": lesson.learn,
            "minutes": _("{count} min").format(count=lesson.minutes),
            "steps": [
                _step(known, LessonPlace(name, step + 1)) for step in range(len(lesson.steps))
            ],
        }


def _questions(known: Course, name: str) -> Iterable[LessonRow]:
    for number, step in enumerate(known.lessons[name].steps, 1):
        steps = [_step(known, LessonPlace(name, number))]
        yield {"number": str(number), "title": f"× {step.error}", "steps": steps}


def _step(known: Course, place: LessonPlace) -> LessonRow:
    return {"lesson": place.lesson, "step": place.step, "link": link_to(known, place)}


main()
