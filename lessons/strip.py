"""The lesson strip above a page: text, task and question of a step."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lessons.course import Course, LessonPlace, course
from lessons.schema import LessonStep
from model import HeadlightError
from web import components
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, sentences
from web.view_state import address
from web.widgets import present


def link_to(known: Course, place: LessonPlace) -> str:
    """Return the URL of a step, from the root of the site, in the language of this visit."""
    language = st.query_params.get("lang")
    return known.link(place, **({"lang": language} if language else {}))


def show_view(page: str) -> None:
    """Put the step's view into a URL that only names the lesson; call it before the page runs."""
    step = course().step_at(st.session_state.get("lesson") or "")
    if step is not None and page == step.path:
        st.query_params.from_dict({**st.query_params.to_dict(), **step.query})


@queue_fragment("lesson")
def draw(page: str) -> None:
    """Handle the pending action, then draw the strip."""
    known = course()
    step = known.step_at(st.session_state.get("lesson") or "")
    act = st.session_state.get("lesson_act")
    if step is None:  # the URL names no lesson
        return
    if act is not None and act["place"] == st.session_state["lesson"]:
        if act["do"] == "leave":
            st.session_state.update(lesson=None, lesson_act=None)
            address.leave_lesson()
            return
        _judge(step, act)
    st.session_state["lesson_act"] = None
    try:
        data = _strip_data(known, step, page)
    except HeadlightError as error:  # a model that cannot be loaded; the page reports it too
        data = {**_place_data(known, step, page), "problem": in_words(error)}
    with present.stage("lesson", grown=True):
        components.lesson(data, "lesson_strip", on_acted=_store_action)


def _store_action() -> None:
    """Store the component's action for the next run; a callback."""
    st.session_state["lesson_act"] = st.session_state["lesson_strip"].acted


def _judge(step: LessonStep, act: Mapping[str, Any]) -> None:
    """Judge an answer. After a right or a revealed answer, the explanation follows."""
    place, answer = act["place"], str(act["answer"])[:80]
    tries = st.session_state.setdefault("lesson_tries", {})
    try:
        outcome, text = step.question.judge(answer, tries.get(place, 0))
        if outcome in ("right", "revealed"):
            text = sentences(text, step.fill_numbers(step.question.why))
    except HeadlightError as error:
        outcome, text = "again", in_words(error)
    tries[place] = tries.get(place, 0) + (outcome in ("wrong", "revealed"))
    verdicts = st.session_state.setdefault("lesson_verdicts", {})
    verdicts[place] = {"answer": answer, "outcome": outcome, "text": text, "at": act.get("at")}


def _strip_data(known: Course, step: LessonStep, page: str) -> dict[str, Any]:
    question, place = step.question, st.session_state["lesson"]
    return {
        **_place_data(known, step, page),
        "error": step.error,
        "say": step.fill_numbers(step.say),
        "do": step.fill_numbers(step.do),
        "guess": step.guess,
        "source": step.source,
        "ask": question.ask,
        "rule": question.rule,
        "kind": question.form,
        "options": list(question.offered),
        "hints": list(question.hints),
        "verdict": st.session_state.get("lesson_verdicts", {}).get(place),
    }


def _place_data(known: Course, step: LessonStep, page: str) -> dict[str, Any]:
    place, away = LessonPlace.read(st.session_state["lesson"]), page != step.path
    lesson = known.lessons[place.lesson]
    before, after = known.neighbour(place, -1), known.neighbour(place, 1)
    result = f"/lessons?part={lesson.result}" if lesson.result else "/lessons"
    if lesson.result and after and after.lesson != place.lesson:
        after = None  # the list shows what was answered, and the lessons that follow
    return {
        "place": str(place),
        "lesson": place.lesson,
        "step": place.step,
        "title": known.title(place.lesson),
        "away": away,
        "links": {
            "back": _target(known, step, before),
            "next": _target(known, step, after) or result,
            "view": link_to(known, place),
            "lessons": "/lessons",
        },
        "strings": {
            "name": _("Lesson"),
            "of": _("Step {first} of {steps}").format(first=place.step, steps=len(lesson.steps)),
            "back": _("Back"),
            "next": (_("Next") if after.lesson == place.lesson else _("Next lesson"))
            if after
            else _("Your result"),
            "view": _("Reset the view"),
            "return": _("Back to the lesson"),
            "leave": _("Leave the lesson. The page Lessons remembers the step."),
            "lessons": _("All lessons"),
            "fold": _("Show or hide the text of the lesson"),
            "hint": _("Hint"),
            "check": _("Check"),
            "checking": _("Checking…"),
            "number": _("Your number"),
            "hidden": _("The answer on the page is hidden until you answer."),
            "show": _("Show it"),
            "revealed": _("You have seen the answer."),
            "source": _("Source: "),
            "paced": _("Your teacher has not opened this step."),
        },
    }


def _target(known: Course, step: LessonStep, to: LessonPlace | None) -> str | None:
    """Return the link to another place, or the place alone if it has the same view."""
    if to is None:
        return None
    return str(to) if known.step(to).view == step.view else link_to(known, to)
