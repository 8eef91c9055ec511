"""Registry of what a link contains: code in `web` reads links without importing a page."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from web.view_state.address import Parameters

_modules: list[str] = []


def register(module: str) -> None:
    """Name the module that holds the parameters; the first link that is read imports it.

    Its ``BY_PATH`` maps a path such as ``/layers`` to a page's parameters, ``DECODER_PARTS`` a part
    of the Decoder. ``room_question``, ``room_plan`` and ``lesson_titles`` are for rooms.
    """
    _modules[:] = [module]
    _by_path.cache_clear()


def parameters_of(path: str, part: str = "") -> Parameters | None:
    """Return the URL parameters of the page at a path (or of a Decoder part), or None."""
    found = _by_path()
    return found.get(f"{path}?part={part}", found.get(path))


def lesson_question(place: str) -> dict[str, Any] | None:
    """Return the question of a lesson's step for a room: kind, prompt, items and truth."""
    found = (import_module(module).room_question(place) for module in _modules)
    return next(found, None)


def lesson_titles() -> list[dict[str, str]]:
    """Return ``name`` and ``title`` of every lesson, in the order of the course."""
    return [lesson for module in _modules for lesson in import_module(module).lesson_titles()]


def lesson_views(lesson: str) -> dict[str, Any] | None:
    """Return a lesson for a room: ``lesson``, ``title`` and ``views``, one for each step."""
    found = (import_module(module).room_plan(lesson) for module in _modules)
    return next(found, None)


@cache
def _by_path() -> Mapping[str, Parameters]:
    found: dict[str, Parameters] = {}
    for module in _modules:
        pages = import_module(module)
        found |= pages.BY_PATH
        found |= {f"/decoder?part={name}": part for name, part in pages.DECODER_PARTS.items()}
    return found
