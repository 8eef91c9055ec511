"""Builder of the cards of a whole layer, for one token.

Axes: T tokens, D d_model, K d_head; I inputs and O outputs of a linear map.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from viz.cards import arithmetic
from viz.cards.card import CardBuilder, Line, Translate
from viz.cards.layer_window import Axis, LayerNames, LayerWindow, axes, cut, latex
from viz.cards.matrices import Arrays, Matrix

Rows = list[arithmetic.Row]

_ALL_HEADS = ("concatenated", "W_O", "b_O")
"""Matrices whose columns or rows belong to all heads."""

_VIEWS = {"K_T": "K", "values": "V"}
"""Matrices that the cards draw a second time, and the array that holds them."""


@dataclass(frozen=True)
class LayerShape:
    """The structure of a layer.

    Attributes:
        parts: Its sublayers in order, of "self", "cross" and "ffn".
        pre_norm: Whether the LayerNorm comes before each sublayer.
        n_heads: Number of heads, H.
    """

    parts: tuple[str, ...]
    pre_norm: bool
    n_heads: int


class LayerCards(CardBuilder):
    """Builds the cards of a layer; a matrix's name starts with its sublayer's: ``ffn_hidden``.

    Args:
        arrays: All matrices of the layer, for all tokens.
        layer: The structure of the layer.
        names: Names of the tokens.
        window: The token to follow, and the rows and columns to draw.
        errors: The largest difference of the model from a matrix, by its name.
        eps: The constant that LayerNorm adds to the variance.
        translate: From English to the reader's language.
    """

    def __init__(
        self,
        arrays: Arrays,
        layer: LayerShape,
        names: LayerNames,
        window: LayerWindow,
        errors: Mapping[str, float],
        eps: float,
        translate: Translate,
    ) -> None:
        super().__init__(arrays, translate)
        self.layer = layer
        self.names = names
        self.window = window
        self.errors = errors
        self.eps = eps
        self.matrices: dict[str, Matrix] = {}
        self.spelled: dict[str, list[list[Rows]]] = {}

    def card(
        self,
        name: str,
        part: str,
        title: str,
        *,
        formula: str,
        lines: list[Line],
        note: str,
        compared: str = "",
    ) -> None:
        """Append a card, and the matrices that its lines name.

        Args:
            name: Its name within its sublayer.
            part: The sublayer; blank before the first.
            title: A few words.
            formula: LaTeX.
            lines: Its equations.
            note: Sentences about the step.
            compared: The matrix that also exists in the model's forward pass, if any.
        """
        notes = [note]
        if compared in self.errors:
            text = self.translate("The model's own 32-bit numbers differ by at most {off:.1g}.")
            notes.append(text.format(off=self.errors[compared]))
        if part == "cross":
            title = self.translate("Source: {title}").format(title=title)
        self.add("_".join(filter(None, (part, name))), title, lines, *notes, formula=formula)
        for line in lines:
            for item in line.items:
                self._draw(item)

    def spell(self, name: str, rows: Callable[[int], Rows]) -> None:
        """Store the arithmetic of a matrix's drawn cells.

        Args:
            name: The matrix.
            rows: The arithmetic of a cell, from its place among the drawn cells.
        """
        start, stop = self.columns(name)
        self.spelled[name] = [[rows(j) for j in range(stop - start)]]

    def columns(self, name: str) -> tuple[int, int]:
        """Start and stop of the columns to draw.

        Args:
            name: The matrix.
        """
        array, (_, axis) = self._find(name)
        return self.window.span(axis, array.shape[1])

    def at(self, name: str, j: int) -> float:
        """A number in the row of the followed token, or in a vector of the layer.

        Args:
            name: The matrix.
            j: Its place among the drawn columns.
        """
        return float(self.row(name)[self.columns(name)[0] + j])

    def row(self, name: str) -> np.ndarray:
        """The whole row of the followed token, (O,).

        Args:
            name: The matrix.
        """
        array, (axis, _) = self._find(name)
        row: np.ndarray = array[self.window.span(axis, len(array))[0]]
        return row

    def of_head(self, name: str) -> np.ndarray:
        """The followed head's columns of queries, keys or values, (T, K).

        Args:
            name: The matrix, (T, H*K).
        """
        width = self.window.d_head
        return self.arrays[name][:, self.window.head * width : (self.window.head + 1) * width]

    def head_columns(self) -> dict[str, int]:
        """The followed head and its first and last column among those of all heads."""
        head, width = self.window.head, self.window.d_head
        return {"head": head, "first": head * width, "last": (head + 1) * width - 1}

    def latex(self, name: str) -> str:
        """The symbol of a matrix, LaTeX.

        Args:
            name: The matrix.
        """
        part, own_name = _split(name)
        place = self.layer.parts.index(part) + 1 if part else 0
        return latex(own_name, part, place)

    def shape(self, name: str) -> tuple[int, ...]:
        """Rows and columns of a matrix; one token has one row, and one head its own columns.

        Args:
            name: The matrix.
        """
        array, both = self._find(name)
        one_head = _split(name)[1] not in _ALL_HEADS

        def extent(axis: Axis, length: int) -> int:
            if axis in ("token", "source", "one"):
                return 1
            return self.window.d_head if axis == "head" and one_head else length

        return tuple(extent(*each) for each in zip(both, array.shape, strict=True))

    def affine(
        self, part: str, given: str, weight: str, bias: str, result: str
    ) -> tuple[Line, str]:
        """A linear map x W + b, with the arithmetic of its cells.

        Args:
            part: The sublayer.
            given: The matrix x.
            weight: W, without the sublayer's name.
            bias: b, without the sublayer's name.
            result: The result, without the sublayer's name.

        Returns:
            The equation and its formula, LaTeX.
        """
        weight, bias, result = (f"{part}_{name}" for name in (weight, bias, result))
        # In cross-attention, keys and values come from a token of the source.
        from_source = result in ("cross_K", "cross_V")
        x = self.arrays[given][self.window.source] if from_source else self.row(given)
        start = self.columns(result)[0]
        w, b = self.arrays[weight], self.arrays[bias]

        def rows(j: int) -> Rows:
            column = start + j
            return [arithmetic.product(x, w[:, column], self.at(result, j), float(b[0, column]))]

        self.spell(result, rows)
        line = Line((given, "×", weight, "+", bias, "=", result), "affine", result)
        return line, f"{self.product(given, weight, result)} + {self.sized(bias)}"

    def _draw(self, name: str) -> None:
        part, own_name = _split(name)
        if name in self.matrices or (name not in self.arrays and own_name not in _VIEWS):
            return
        array, _ = self._find(name)
        symbol = self.latex(name)
        self.matrices[name] = cut(own_name, symbol, array, self.names, self.window, part)

    def _find(self, name: str) -> tuple[np.ndarray, tuple[Axis, Axis]]:
        part, own_name = _split(name)
        array = self.arrays[f"{part}_{_VIEWS[own_name]}" if own_name in _VIEWS else name]
        return array.T if own_name == "K_T" else array, axes(own_name, part)  # (T, H*K) -> (H*K, T)


def _split(name: str) -> tuple[str, str]:
    """The sublayer and a matrix's own name: ``self_W_O`` is ("self", "W_O")."""
    part, _, own_name = name.partition("_")
    return (part, own_name) if own_name else ("", name)
