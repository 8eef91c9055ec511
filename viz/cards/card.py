"""Cards of a calculation, and the builder that collects them.

A card is one step: a title, a formula, equations between matrices, and notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from viz.cards.matrices import SYMBOLS, Arrays
from viz.style.figure import Translate

CardKind = Literal[
    "given",
    "product",
    "divide",
    "mask",
    "softmax",
    "softmax_columns",
    "times",
    "join",
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


class CardBuilder:
    """Collects the cards of a calculation."""

    def __init__(self, arrays: Arrays, translate: Translate) -> None:
        self.arrays = arrays
        self.translate = translate
        self.cards: list[Card] = []

    def add(
        self,
        name: str,
        title: str,
        lines: Sequence[Line],
        *notes: str,
        formula: str,
    ) -> None:
        """Append a card."""
        self.cards.append(Card(name, title, formula, tuple(lines), notes))

    def latex(self, name: str) -> str:
        """The symbol of a matrix, LaTeX."""
        return SYMBOLS.get(name, name)

    def shape(self, name: str) -> tuple[int, ...]:
        """Rows and columns of a matrix in formulas."""
        return self.arrays[name].shape

    def sized(self, name: str) -> str:
        """The symbol of a matrix with its size below it, LaTeX."""
        rows, columns = self.shape(name)
        return rf"\underset{{{rows} \times {columns}}}{{{self.latex(name)}}}"

    def product(self, left: str, right: str, result: str) -> str:
        """The formula of a product of two matrices, with all sizes, LaTeX."""
        return rf"{self.sized(result)} = {self.sized(left)}\;{self.sized(right)}"


def product_line(left: str, right: str, result: str, family: str) -> Line:
    """The equation of a product of two matrices."""
    return Line((left, "×", right, "=", result), "product", family)
