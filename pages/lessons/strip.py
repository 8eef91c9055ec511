"""The strip above a page: what a lesson says, what there is to do, and its question."""

from typing import Any

import streamlit as st

from model import HeadlightError
from pages import components
from pages.lessons.course import Course, Place, course
from pages.lessons.links import link_to, views
from pages.lessons.schema import Step
from pages.shared import address
from pages.shared.language import _, in_words
from pages.shared.turns import part


def keep_view(page: str) -> None:
    """Keep the view of the step that the session is at, if this is its page.

    Args:
        page: The path of the page that is open.
    """
    step = _present(course())
    if step is not None and page == step.path:
        views()[st.session_state["lesson"]] = st.session_state.get("address") or {}


def show_view(page: str) -> None:
    """Bring the step's view into an address that names the lesson alone; before the page.

    Args:
        page: The path of the page that is open.
    """
    step = _present(course())
    if step is not None and page == step.path:
        st.query_params.from_dict({**st.query_params.to_dict(), **step.query})


@part("lesson")
def draw(page: str) -> None:
    """Draw the strip, and do what was asked for in it.

    Args:
        page: The path of the page below it.
    """
    known = course()
    step = _present(known)
    act = st.session_state.get("lesson_act")
    if step is None:  # an address that names no lesson
        return
    if act is not None and act["place"] == st.session_state["lesson"]:
        if act["do"] == "leave":
            st.session_state.update(lesson=None, lesson_act=None)
            address.say_besides("lesson", None)
            return
        _judge(step, act["place"], str(act["answer"])[:80])
    st.session_state["lesson_act"] = None  # judged; where that was refused, "Try again" does it
    try:
        data = _said(known, step, page)
    except HeadlightError as error:  # a model that is not here; the page says so too
        data = {**_where(known, step, page), "problem": in_words(error)}
    components.lesson(data, "lesson_strip", on_acted=_hear)


def _hear() -> None:
    """A callback."""
    st.session_state["lesson_act"] = st.session_state["lesson_strip"].acted


def _judge(step: Step, place: str, answer: str) -> None:
    tries = st.session_state.setdefault("lesson_tries", {})
    try:
        verdict = step.question.judge(answer, tries.get(place, 0))
        right, said = verdict.right, verdict.said
        if right:
            said = f"{said} {step.told(step.question.why)}"
    except HeadlightError as error:
        right, said = False, in_words(error)
    tries[place] = tries.get(place, 0) + (not right)
    verdicts = st.session_state.setdefault("lesson_verdicts", {})
    verdicts[place] = {"answer": answer, "right": right, "said": said}


def _said(known: Course, step: Step, page: str) -> dict[str, Any]:
    """All that the strip shows."""
    question, place = step.question, st.session_state["lesson"]
    return {
        **_where(known, step, page),
        "say": step.told(step.say),
        "do": step.told(step.do),
        "ask": question.ask,
        "kind": question.kind if question.kind in ("head", "number") else "options",
        "options": list(question.offered),
        "hints": list(question.hints),
        "verdict": st.session_state.get("lesson_verdicts", {}).get(place),
    }


def _where(known: Course, step: Step, page: str) -> dict[str, Any]:
    """Where in the course it is, and where one can go from there."""
    place, away = Place.read(st.session_state["lesson"]), page != step.path
    lesson = known.lessons[place.lesson]
    number = list(known.lessons).index(place.lesson) + 1
    before, after = known.beside(place, -1), known.beside(place, 1)
    return {
        "place": str(place),
        "lesson": place.lesson,
        "step": place.step,
        "title": f"{number} · {lesson.title}",
        "steps": len(lesson.steps),
        "away": away,
        "links": {
            "back": _way(known, step, before),
            "next": _way(known, step, after),
            "view": link_to(known, place, anew=not away),
            "lessons": "/lessons",
        },
        "strings": _strings(place, len(lesson.steps), after),
    }


def _way(known: Course, step: Step, to: Place | None) -> str | None:
    """The way to another place: a link, or the place alone where the view is to stay."""
    other = known.step(to) if to else None
    if to is None or other is None:
        return None
    return str(to) if other.view == step.view else link_to(known, to)


def _strings(place: Place, steps: int, after: Place | None) -> dict[str, str]:
    onward = after is not None and after.lesson != place.lesson
    return {
        "name": _("Lesson"),
        "of": _("step {step} of {steps}").format(step=place.step, steps=steps),
        "back": _("Back"),
        "next": _("Next lesson") if onward else _("Next"),
        "view": _("Reset the view"),
        "return": _("Back to the lesson"),
        "leave": _("Leave the lesson; Lessons knows where you were"),
        "lessons": _("All lessons"),
        "fold": _("Show or hide what the lesson says"),
        "hint": _("Hint"),
        "check": _("Check"),
        "number": _("Your number"),
        "layer": _("Layer"),
        "head": _("Head"),
        "answered": _("Answered: {answer}"),
    }


def _present(known: Course) -> Step | None:
    """The step that the session is at."""
    try:
        return known.step(Place.read(st.session_state.get("lesson") or ""))
    except ValueError:
        return None
