"""The strip above a page: what a lesson says, what there is to do, and its question."""

from pathlib import Path
from typing import Any

import streamlit as st

from model import HeadlightError
from pages import components
from pages.lessons.course import Course, Place, course
from pages.lessons.schema import Step
from pages.shared import address
from pages.shared.language import _, in_words

PAGES = Path(__file__).parents[1]


def keep_view(page: str) -> None:
    """Keep the view of the step that the session is at, if this is its page.

    Args:
        page: The path of the page that is open.
    """
    step = _present(course())
    if step is not None and page == _path(step):
        _views()[st.session_state["lesson"]] = st.session_state.get("address") or {}


@st.fragment(key="lesson")
def draw(page: str) -> None:
    """Draw the strip, and do what was asked for in it.

    Args:
        page: The path of the page below it.
    """
    known = course()
    _act(known, page)
    step = _present(known)
    if step is None:  # ended, or an address that names no lesson
        return
    try:
        data = _said(known, step, page)
    except HeadlightError as error:  # a model that is not here; the page says so too
        data = {**_where(known, step, page), "problem": in_words(error)}
    components.lesson(data, "lesson_strip", on_acted=_hear)


def _hear() -> None:
    """A callback."""
    st.session_state["lesson_act"] = st.session_state["lesson_strip"].acted


def _act(known: Course, page: str) -> None:
    """Do what was asked for in the strip."""
    act = st.session_state.pop("lesson_act", None)
    step = _present(known)
    if act is None or step is None or act["place"] != st.session_state["lesson"]:
        return
    place = Place.read(st.session_state["lesson"])
    if act["do"] == "answer":
        _answer(step, str(place), str(act["answer"])[:80])
    elif act["do"] == "leave":
        del st.session_state["lesson"]
        address.say_besides("lesson", None)
    elif act["do"] == "lessons":
        keep_view(page)
        st.switch_page(PAGES / "lessons" / "page.py", query_params=address.link({}))
    else:
        moved = {"next": known.beside(place, True), "back": known.beside(place, False)}
        go(moved.get(act["do"], place) or place, page, anew=act["do"] == "view")


def go(place: Place, page: str, *, anew: bool = False) -> None:
    """Go to a step: to its view as it was left, or stay where the view is the same.

    Args:
        place: Of the step.
        page: The path of the page that is open.
        anew: As the lesson has it, whatever was changed.
    """
    known = course()
    step, before = known.step(place), _present(known)
    if step is None:
        return
    keep_view(page)
    views = _views()
    if anew:
        views.pop(str(place), None)
    st.session_state["lesson"] = str(place)
    stays = before is not None and before.view == step.view and page == _path(step)
    if stays and not anew:
        address.say_besides("lesson", str(place))
        return
    address.forget()
    view = views.get(str(place)) or step.query
    besides = {name: text for name, text in address.link({}).items() if name == "lang"}
    st.switch_page(
        PAGES / step.page / "page.py", query_params={**besides, **view, "lesson": str(place)}
    )


def _answer(step: Step, place: str, answer: str) -> None:
    tries = st.session_state.setdefault("lesson_tries", {})
    try:
        verdict = step.question.judge(answer, tries.get(place, 0))
        said = f"{verdict.said} {step.told(step.question.why)}" if verdict.right else verdict.said
        found = {"answer": answer, "right": verdict.right, "said": said}
    except HeadlightError as error:
        found = {"answer": answer, "right": False, "said": in_words(error)}
    if not found["right"]:
        tries[place] = tries.get(place, 0) + 1
    st.session_state.setdefault("lesson_verdicts", {})[place] = found


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
    place = Place.read(st.session_state["lesson"])
    lesson, onward = known.lessons[place.lesson], known.beside(place, True)
    number = list(known.lessons).index(place.lesson) + 1
    follows = onward is not None and onward.lesson != place.lesson
    return {
        "place": str(place),
        "lesson": place.lesson,
        "step": place.step,
        "title": f"{number} · {lesson.title}",
        "steps": len(lesson.steps),
        "away": page != _path(step),
        "first": known.beside(place, False) is None,
        "last": onward is None,
        "strings": {
            "name": _("Lesson"),
            "of": _("step {step} of {steps}").format(step=place.step, steps=len(lesson.steps)),
            "back": _("Back"),
            "next": _("Next lesson") if follows else _("Next"),
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
        },
    }


def _present(known: Course) -> Step | None:
    """The step that the session is at."""
    try:
        return known.step(Place.read(st.session_state.get("lesson") or ""))
    except ValueError:
        return None


def _path(step: Step) -> str:
    """The path of a step's page, as Streamlit names pages."""
    return "" if step.page == "explore" else step.page


def _views() -> dict[str, dict[str, str]]:
    """The views of steps, as they were left."""
    views: dict[str, dict[str, str]] = st.session_state.setdefault("lesson_views", {})
    return views
