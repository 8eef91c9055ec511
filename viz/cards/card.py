"""What a card is made of: a title, a formula, equations between matrices, and notes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "given",
    "product",
    "divide",
    "mask",
    "softmax",
    "softmax_columns",
    "times",
    "join",
    "affine",
    "each",
    "over",
]
"""How a cell comes about; the last three in a whole layer: x W + b, each cell alone, over a row."""

Translate = Callable[[str], str]


@dataclass(frozen=True)
class Line:
    """One equation between matrices, e.g. Q K^T = S.

    Attributes:
        items: Matrix names and operators in reading order; the last one is the result.
        kind: How a cell of the result comes from the others.
        family: Lines of one family share the selected cell.
        parts: Of a softmax, the names of its maxima, exponentials and sums: a cell's arithmetic
            quotes them, whether they are drawn or not.
    """

    items: tuple[str, ...]
    kind: Kind
    family: str
    parts: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """The name of the matrix that the line works out."""
        return self.items[-1]


@dataclass(frozen=True)
class Card:
    """One step.

    Attributes:
        id: Its name in links.
        title: A few words.
        formula: LaTeX with the reader's own sizes in it.
        lines: Its equations.
        notes: What there is to say about it.
        findings: What follows from the results; not for whoever is to work them out.
    """

    id: str
    title: str
    formula: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scale:
    """What the scores are divided by, and why.

    Attributes:
        divisor: All of it.
        scaled: Whether the model's own part is in it.
        temperature: The other part.
        own: Whether the model's own part is not sqrt(d_k) (T5: 1).
    """

    divisor: float
    scaled: bool
    temperature: float
    own: bool = False


def sized(latex: str, rows: int, columns: int) -> str:
    """A symbol with the size of its matrix below it, LaTeX."""
    return rf"\underset{{{rows} \times {columns}}}{{{latex}}}"
