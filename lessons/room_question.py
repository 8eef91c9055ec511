"""A lesson and the question of a step, for the class in a room; see ``rooms/api``."""

from typing import Any
from urllib.parse import urlencode

import numpy as np

from lessons.course import Place, course
from lessons.questions import HeadQuestion, KeyQuestion, NumberQuestion
from model.questions import largest


def room_question(place: str, *, solve: bool = True) -> dict[str, Any] | None:
    """Return the question of a step, or None without such a step.

    Args:
        solve: Whether the models compute ``items`` and ``truth``; otherwise only ``prompt`` and
            ``kind``.
    """
    try:
        found = Place.read(place)
    except ValueError:
        return None
    step = course().step(found)
    if step is None:
        return None
    question = step.question
    kind = "choice" if question.form == "options" else question.form
    if not solve:
        return {"prompt": question.ask, "kind": kind}
    items: dict[str, Any] = {}
    truth: dict[str, Any]
    if isinstance(question, NumberQuestion):
        truth = {"value": float(question.solution()), "tolerance": question.within + 1e-9}
    elif isinstance(question, HeadQuestion):
        weights = question.weights_by_head()
        layers, heads = (int(last) + 1 for last in [*weights][-1].split("."))
        items = {"model": question.model, "text": question.text, "layers": layers, "heads": heads}
        rounded = [round(weight, 6) for weight in weights.values()]  # (L*H,)
        best = largest(np.reshape(rounded, (layers, heads)))
        truth = {"right": best, "weights": rounded}
    elif isinstance(question, KeyQuestion):
        values = question.values()
        items = {"model": question.model, "text": question.text, "options": list(values)}
        rounded = [round(weight, 6) for weight in values.values()]
        truth = {"right": largest(np.array(rounded)), "weights": rounded}
    else:
        options = list(question.offered)
        items, truth = {"options": options}, {"right": [options.index(question.solution())]}
    return {"prompt": question.ask, "kind": kind, "items": items, "truth": truth}


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
