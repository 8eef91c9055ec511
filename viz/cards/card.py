"""Cards of a calculation.

A card is one step: a title, a formula, equations between matrices, and notes.
"""

from dataclasses import dataclass
from typing import Literal

CardKind = Literal[
    "given", "product", "divide", "mask", "softmax", "softmax_columns", "times", "join"
]
"""How the cells of a result are computed."""


@dataclass(frozen=True)
class Line:
    """One equation between matrices, e.g. Q K^T = S.

    Attributes:
        items: Matrix names and operators in reading order; the last one is the result.
        parts: Of a softmax, the names of its maxima, exponentials and sums. The arithmetic of a
            cell quotes them even if the card does not draw them.
    """

    items: tuple[str, ...]
    kind: CardKind
    family: str
    parts: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """The name of the matrix that the line computes."""
        return self.items[-1]


@dataclass(frozen=True)
class Card:
    """One step; its formula (LaTeX) has the sizes of this calculation."""

    id: str
    title: str
    formula: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scale:
    """The divisor of the scores, and its origin: sqrt(d_k), or a model's own (T5: 1)."""

    divisor: float
    scaled: bool
    temperature: float
    own: bool = False
    decimals: int = 4

    def rounded(self) -> str:
        """Return the divisor as the cards print it; never 0, which is no divisor."""
        return f"{round(self.divisor, self.decimals) or self.divisor:.12g}"


def product_line(left: str, right: str, result: str, family: str) -> Line:
    """The equation of a product of two matrices."""
    return Line((left, "×", right, "=", result), "product", family)
