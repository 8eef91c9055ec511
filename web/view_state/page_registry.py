"""What a link contains, from ``pages.urls``: code in `web` reads links without importing a page."""

from importlib import import_module
from typing import Any

from web.view_state.address import Parameters


def _urls() -> Any:
    return import_module("pages.urls")


def parameters_of(path: str, part: str = "") -> Parameters | None:
    """Return the URL parameters of the page at a path, or None if no page has such a view.

    Args:
        path: From the root, such as ``/layers``.
        part: Part of the page; only the Decoder page has other parameters in each.
    """
    parts = _urls().DECODER_PARTS if path == "/decoder" else {}
    found: Parameters | None = parts.get(part, _urls().BY_PATH.get(path))
    return found


def lesson_question(place: str, *, solve: bool = True) -> dict[str, Any] | None:
    """Return the question of a lesson's step for a room: kind, prompt, items and truth.

    Args:
        place: Lesson and step as in a URL, ``masks.2``.
        solve: Whether the models compute items and truth; otherwise they are left out.

    Raises:
        HeadlightError: If the models cannot compute the numbers of the question.
    """
    question: dict[str, Any] | None = _urls().room_question(place, solve=solve)
    return question


def lesson_titles() -> list[dict[str, str]]:
    """Return ``name`` and ``title`` of every lesson, in the order of the course."""
    return list(_urls().lesson_titles())


def lesson_views(lesson: str) -> dict[str, Any] | None:
    """Return a lesson for a room: ``lesson``, ``title`` and ``views``, one for each step."""
    plan: dict[str, Any] | None = _urls().room_plan(lesson)
    return plan
