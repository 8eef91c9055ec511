"""What rooms need of pages and lessons, which they do not import: ``app.py`` passes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from web.view_state.address import ParametersOf

if TYPE_CHECKING:
    from model.questions import Question


@dataclass(frozen=True)
class Site:
    """The pages' URL parameters and the lessons.

    Attributes:
        lesson_prompt: Returns ``prompt`` and ``kind`` of the question of the step at ``masks.2``;
            None without such a step, as ``lesson_question``, which computes the rest.
        lesson_plan: Returns a lesson: ``lesson``, ``title``, and ``views``, one for each step; None
            without such a lesson.
    """

    parameters_of: ParametersOf
    lesson_prompt: Callable[[str], dict[str, str] | None]
    lesson_question: Callable[[str], "Question | None"]
    lesson_plan: Callable[[str], dict[str, Any] | None]
