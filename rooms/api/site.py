"""What rooms need of pages and lessons, which they do not import: ``app.py`` passes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from web.view_state.address import ParametersOf


@dataclass(frozen=True)
class Site:
    """The pages' URL parameters and the lessons.

    Attributes:
        lesson_question: ``room_question`` of lessons: the question of the step at ``masks.2``.
        lesson_plan: ``room_plan`` of lessons.
    """

    parameters_of: ParametersOf
    lesson_question: Callable[..., dict[str, Any] | None]
    lesson_plan: Callable[[str], dict[str, Any] | None]
