"""The way of one token through a layer, as it is put together: cards, matrices, arithmetic.

Axes: T tokens, D d_model, K d_head, I and O of a linear map.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from viz.cards import told
from viz.cards.card import Card, Line, Translate, sized
from viz.cards.layer_window import Axis, LayerNames, LayerWindow, axes, drawn, latex
from viz.cards.matrices import Arrays, Matrix

Rows = list[told.Row]

_VECTORS = ("token", "source", "one")


@dataclass(frozen=True)
class LayerShape:
    """How a layer is built.

    Attributes:
        parts: Its sublayers in order, of "self", "cross" and "ffn".
        pre_norm: Whether the LayerNorm comes before each sublayer.
        n_heads: H.
    """

    parts: tuple[str, ...]
    pre_norm: bool
    n_heads: int


@dataclass
class Way:
    """The cards so far; matrices go by their sublayer's name and their own, ``ffn_hidden``.

    Attributes:
        arrays: All that the layer works out, of every token.
        shape: How the layer is built.
        names: Of the tokens.
        window: Which token is followed, and what of it is drawn.
        off: How far the model itself is at most from a matrix, by its name.
        translate: From English to the reader's language.
        cards: In order.
        matrices: What they draw.
        spelled: Of every cell of a result the rows that tell how it came about.
    """

    arrays: Arrays
    shape: LayerShape
    names: LayerNames
    window: LayerWindow
    off: Mapping[str, float]
    translate: Translate
    cards: list[Card] = field(default_factory=list)
    matrices: dict[str, Matrix] = field(default_factory=dict)
    spelled: dict[str, list[list[Rows]]] = field(default_factory=dict)

    def card(
        self,
        name: str,
        part: str,
        title: str,
        *,
        formula: str,
        lines: list[Line],
        note: str,
        held_to: str = "",
    ) -> None:
        """Add a card, with all that its lines name.

        Args:
            name: Its own, within its sublayer.
            part: Its sublayer; blank before the first.
            title: A few words.
            formula: LaTeX.
            lines: Its equations.
            note: What there is to say.
            held_to: The matrix of it that the model's own forward pass has, too.
        """
        notes = [note]
        if held_to in self.off:
            said = self.translate("The model's own numbers, in 32 bits, are within {off:.1g}.")
            notes.append(said.format(off=self.off[held_to]))
        if part == "cross":
            title = self.translate("Source: {title}").format(title=title)
        self.cards.append(
            Card("_".join(filter(None, (part, name))), title, formula, tuple(lines), tuple(notes))
        )
        for line in lines:
            for item in line.items:
                self._draw(item)

    def tell(self, name: str, rows: Callable[[int], Rows]) -> None:
        """Keep how the drawn cells of a matrix come about.

        Args:
            name: Of the matrix.
            rows: From a cell's place among those that are drawn.
        """
        start, stop = self.columns(name)
        self.spelled[name] = [[rows(j) for j in range(stop - start)]]

    def columns(self, name: str) -> tuple[int, int]:
        """From and to: the columns of a matrix that are drawn."""
        array, (_, axis) = self._found(name)
        return self.window.span(axis, array.shape[1])

    def at(self, name: str, j: int) -> float:
        """A number of the token's row, or of a vector that all tokens share.

        Args:
            name: Of the matrix.
            j: Its place among those that are drawn.
        """
        array, (axis, _) = self._found(name)
        row = self.window.span(axis, len(array))[0]
        return float(array[row, self.columns(name)[0] + j])

    def row(self, name: str) -> np.ndarray:
        """The whole row that is followed, (O,)."""
        array, (axis, _) = self._found(name)
        row: np.ndarray = array[self.window.span(axis, len(array))[0]]
        return row

    def of_head(self, name: str) -> np.ndarray:
        """The followed head's columns of queries, keys or values, (T, K)."""
        width = self.window.d_head
        return self.arrays[name][:, self.window.head * width : (self.window.head + 1) * width]

    def latex(self, name: str) -> str:
        """The symbol of a matrix."""
        part, own = _split(name)
        place = self.shape.parts.index(part) + 1 if part else 0
        return latex(own, part, place)

    def size(self, name: str) -> str:
        """The symbol with its size below it; one token has a row."""
        array, (rows, columns) = self._found(name)
        width = self.window.d_head if columns == "head" and name[-2:] in _QKV else array.shape[1]
        return sized(self.latex(name), 1 if rows in _VECTORS else len(array), width)

    def affine(self, part: str, given: str, weight: str, bias: str, result: str) -> Line:
        """x W + b, told cell by cell."""
        weight, bias, result = (f"{part}_{name}" for name in (weight, bias, result))
        source = self.row(given)
        if result[-2:] in _QKV and part == "cross" and result != "cross_Q":
            source = self.arrays[given][self.window.source]
        start = self.columns(result)[0]
        w, b = self.arrays[weight], self.arrays[bias]
        self.tell(
            result,
            lambda j: [
                told.product(source, w[:, start + j], self.at(result, j), float(b[0, start + j]))
            ],
        )
        return Line((given, "×", weight, "+", bias, "=", result), "affine", result)

    def affine_formula(self, part: str, given: str, *names: str) -> str:
        """Of a linear map: its weight's, bias's and result's names."""
        weight, bias, result = (self.size(f"{part}_{name}") for name in names)
        return rf"{result} = {self.size(given)}\;{weight} + {bias}"

    def _draw(self, name: str) -> None:
        part, own = _split(name)
        if name in self.matrices or (name not in self.arrays and own not in ("K_T", "values")):
            return
        array, _ = self._found(name)
        symbol = self.latex(name)
        self.matrices[name] = drawn(own, symbol, array, self.names, self.window, part)

    def _found(self, name: str) -> tuple[np.ndarray, tuple[Axis, Axis]]:
        part, own = _split(name)
        if own == "K_T":
            return self.arrays[f"{part}_K"].T, axes(own, part)
        if own == "values":
            return self.arrays[f"{part}_V"], axes(own, part)
        return self.arrays[name], axes(own, part)


_QKV = ("_Q", "_K", "_V")
"""How the names of one head's queries, keys and values end, and those of their maps."""


def _split(name: str) -> tuple[str, str]:
    """The sublayer and a matrix's own name: ``self_W_O`` is ("self", "W_O")."""
    part, _, own = name.partition("_")
    return (part, own) if own else ("", name)
