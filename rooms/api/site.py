"""What rooms need of pages and lessons, which they do not import: ``app.py`` passes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from web.view_state.address import ParametersOf


@dataclass(frozen=True)
class Site:
    """The pages' URL parameters and the lessons.

    Attributes:
        lesson_plan: Returns a lesson: ``lesson``, ``title``, and ``views``, one for each step; None
            without such a lesson.
    """

    parameters_of: ParametersOf
    lesson_plan: Callable[[str], dict[str, Any] | None]
