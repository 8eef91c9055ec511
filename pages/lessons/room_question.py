"""A lesson and the question of a step, for the class in a room; see ``web/rooms/api``."""

from typing import Any
from urllib.parse import urlencode

from pages.lessons.course import Place, course
from pages.lessons.questions import HeadQuestion, NumberQuestion


def room_question(place: str) -> dict[str, Any] | None:
    """Return the question of a step (kind, prompt, items, truth), or None without such a step."""
    try:
        found = Place.read(place)
    except ValueError:
        return None
    step = course().step(found)
    if step is None:
        return None
    question = step.question
    if isinstance(question, NumberQuestion):
        value = {"value": float(question.solution()), "tolerance": question.within + 1e-9}
        return _as_room_question(question.ask, "number", {"rule": question.rule}, value)
    if isinstance(question, HeadQuestion):
        about = {"model": question.model, "text": question.text}
        return _head_question(
            question.ask, about, question.weights_by_head(), [question.solution()]
        )
    options = list(question.offered)
    truth = {"right": [options.index(question.solution())]}
    return _as_room_question(question.ask, "choice", {"options": options}, truth)


def _head_question(
    prompt: str, about: dict[str, Any], weights: dict[str, float], right: list[str]
) -> dict[str, Any]:
    """Return a question for a head; heads are named ``3.1``, layer by layer."""
    places = {name: [int(index) for index in name.split(".")] for name in weights}
    layers, heads = (last + 1 for last in [*places.values()][-1])
    rounded = [round(weight, 6) for weight in weights.values()]
    truth = {"right": [places[name] for name in right], "weights": rounded}  # (L*H,)
    return _as_room_question(prompt, "head", about | {"layers": layers, "heads": heads}, truth)


def _as_room_question(
    prompt: str, kind: str, items: dict[str, Any], truth: dict[str, Any]
) -> dict[str, Any]:
    return {"prompt": prompt, "kind": kind, "items": items, "truth": truth}


def lesson_titles() -> list[dict[str, str]]:
    """Return ``name`` and ``title`` of every lesson, in order."""
    known = course()
    return [{"name": name, "title": known.title(name)} for name in known.lessons]


def room_plan(lesson: str) -> dict[str, Any] | None:
    """Return a lesson for a room: ``lesson``, ``title`` and ``views``, one for each step."""
    found = course().lessons.get(lesson)
    if found is None:
        return None
    views = [
        f"/{step.path}?" + urlencode({**step.query, "lesson": str(Place(lesson, number))})
        for number, step in enumerate(found.steps, 1)
    ]
    return {"lesson": lesson, "title": found.title, "views": views}
