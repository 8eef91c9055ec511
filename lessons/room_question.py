"""A lesson and the question of a step, for the class in a room; see ``rooms/api/site.py``."""

from typing import Any
from urllib.parse import urlencode

from lessons.course import LessonPlace, course
from model.questions import Question


def room_prompt(place: str) -> dict[str, str] | None:
    """Return ``prompt`` and ``kind`` of the question of a step, or None without such a step."""
    step = course().step_at(place)
    return {"prompt": step.question.ask, "kind": step.question.form} if step else None


def room_question(place: str) -> Question | None:
    """Return the question of a step with its right answers, or None without such a step."""
    step = course().step_at(place)
    return step.question.asked() if step else None


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
        f"/{step.path}?" + urlencode({**step.query, "lesson": str(LessonPlace(lesson, number))})
        for number, step in enumerate(found.steps, 1)
    ]
    return {"lesson": lesson, "title": found.title, "views": views}
