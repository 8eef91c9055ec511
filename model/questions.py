"""Questions that a model's numbers answer: in a room, in a lesson, and for practice."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from model.typed_numbers import is_ambiguous, readings

QuestionKind = Literal["token", "head", "number", "choice"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

NEAR_TIE = 0.01
"""A weight within this distance of the largest is right, too: nobody sees the difference."""


MAX_TYPED = 80
"""Characters of a typed number."""


def largest(weights: np.ndarray) -> list[Any]:
    """Return the indices of the largest weight and its near-ties, the largest first.

    An index into (L, H) is a layer and a head.
    """
    below = np.round(weights.max() - weights.astype(np.float64), 6)
    indices = np.argwhere((weights > 0) & (below <= NEAR_TIE)).tolist()
    indices.sort(key=lambda index: below[tuple(index)])
    return [index[0] if weights.ndim == 1 else index for index in indices]


def truth_of(weights: np.ndarray) -> dict[str, Any]:
    """Return the truth of a question for the largest of some weights."""
    return {
        "weights": np.round(weights.astype(np.float64), 6).tolist(),
        "right": largest(weights),
    }


def is_near(answer: float, accepted: Iterable[float], within: float) -> bool:
    """Whether a number is at most ``within`` away from an accepted one; nan never is."""
    # In binary, 0.60 - 0.58 is slightly more than 0.02.
    return any(abs(answer - each) <= within + 1e-9 for each in accepted)


@dataclass(frozen=True)
class Question:
    """A question, as JSON.

    Attributes:
        kind: What an answer is: a layer and a head (``head``), a number (``number``), or an index
            into the ``tokens`` (``token``) or ``options`` of the items.
        items: What everybody may see.
        truth: Hidden until the reveal: ``value`` and ``tolerance`` of a number, otherwise
            ``right``, all right answers, the best first; none of an opinion.
    """

    kind: QuestionKind
    items: Mapping[str, Any]
    truth: Mapping[str, Any]

    def check(self, answer: Any) -> Any:
        """Return an answer of this kind, a typed number as a float; ValueError if it is none."""
        if self.kind == "number":
            typed = str(answer)
            is_typed = type(answer) in (str, int, float) and len(typed) <= MAX_TYPED
            found = readings(typed) if is_typed and not is_ambiguous(typed) else ()
            if not found:
                raise ValueError("not a number")
            return found[0]
        if self.kind == "head":
            if not isinstance(answer, list) or len(answer) != 2:
                raise ValueError("not a layer and a head")
            return [_index(answer[0], self.items["layers"]), _index(answer[1], self.items["heads"])]
        return _index(answer, len(self._offered))

    def is_right(self, answer: Any) -> bool | None:
        """Judge a checked answer; None for an opinion, which has no right answer."""
        if self.kind == "number":
            return is_near(answer, [self.truth["value"]], self.truth["tolerance"])
        return answer in self.truth["right"] if self.truth["right"] else None

    def name(self, answer: Any) -> str | float:
        """Return an answer as on the screen: a token, an option, L3·H1, or a number."""
        if self.kind == "number":
            shown = float(f"{answer:.6g}")
            return int(shown) if shown.is_integer() else shown
        if self.kind == "head":
            return "L{}·H{}".format(*answer)
        return str(self._offered[answer])

    @property
    def _offered(self) -> list[str]:
        offered: list[str] = self.items["tokens" if self.kind == "token" else "options"]
        return offered


def _index(value: Any, count: int) -> int:
    if type(value) is not int or not 0 <= value < count:
        raise ValueError(f"not a whole number from 0 to {count - 1}")
    return value
