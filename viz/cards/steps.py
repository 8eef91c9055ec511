"""A calculation of attention as cards: one step each, its formula, its matrices.

The same cards are drawn by the browser (:func:`steps_payload`) and printed (viz/worksheet.py).
Axes: Tq queries, Tk keys, K d_k, Kv d_v.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from viz.style.formula import mathml

Kind = Literal["given", "product", "divide", "mask", "softmax", "softmax_columns", "times", "join"]
Translate = Callable[[str], str]
Arrays = Mapping[str, np.ndarray]

SYMBOLS = {
    "W_Q": "W^Q",
    "W_K": "W^K",
    "W_V": "W^V",
    "W_O": "W^O",
    "K_T": "K^{\\top}",
    "scores": "S",
    "scaled": "S'",
    "allowed": "M",
    "masked": "S''",
    "maxima": "m",
    "exponentials": "E",
    "row_sums": "\\Sigma",
    "weights": "A",
    "output": "Z",
    "joined": "Z",
    "source": "S''",
    "factor": "F",
    "wrong": "A_{\\text{✗}}",
    "wrong_output": "Z_{\\text{✗}}",
    "Q_heads": "Q",
    "K_heads": "K",
    "V_heads": "V",
}
"""LaTeX of the matrices that are not called by a single letter."""


WIDE = 8
"""More tokens than this, and a step's matrices no longer stand side by side."""


@dataclass(frozen=True)
class Matrix:
    """Numbers with names on both axes.

    Attributes:
        latex: Its symbol.
        values: (rows, columns), float64 or boolean; only what is shown or summed over.
        rows: Names, one per row.
        columns: Names, one per column.
        shown_rows: From and to: the rows to draw; the others take part unseen.
        shown_columns: From and to.
        more_rows: Rows beyond ``values`` that the whole matrix has.
        more_columns: Columns beyond ``values``.
    """

    latex: str
    values: np.ndarray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shown_rows: tuple[int, int]
    shown_columns: tuple[int, int]
    more_rows: int = 0
    more_columns: int = 0


@dataclass(frozen=True)
class Line:
    """One equation between matrices, e.g. Q K^T = S.

    Attributes:
        items: Matrix names and operators in reading order; the last one is the result.
        kind: How a cell of the result comes from the others.
        family: Lines of one family share the selected cell.
    """

    items: tuple[str, ...]
    kind: Kind
    family: str

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
class Window:
    """What of a large calculation is drawn; the rest is summed over unseen.

    Attributes:
        start: First token drawn.
        tokens: How many tokens are drawn.
        dims: How many dimensions of a vector are drawn.
    """

    start: int = 0
    tokens: int = 16
    dims: int = 8

    def along(self, axis: str, length: int) -> tuple[int, int]:
        """From and to on an axis of that length."""
        if axis not in ("query", "key"):
            return 0, min(self.dims, length)
        start = max(0, min(self.start, length - self.tokens))
        return start, min(start + self.tokens, length)


@dataclass(frozen=True)
class Steps:
    """Cards, and the matrices that they name.

    Attributes:
        cards: One a step, in order.
        matrices: By the names that the cards' lines use.
        divisor: What the raw scores are divided by.
        head: Which head is followed.
        offset: The first query that is drawn.
    """

    cards: tuple[Card, ...]
    matrices: dict[str, Matrix]
    divisor: float
    head: int
    offset: int


@dataclass(frozen=True)
class Names:
    """Names on the axes: query and key tokens, and which head of how many is followed."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    head: int = 0
    n_heads: int = 1


@dataclass(frozen=True)
class Scale:
    """What the scores are divided by, and why."""

    divisor: float
    scaled: bool
    temperature: float


def attention_steps(
    arrays: Arrays,
    names: Names,
    scale: Scale,
    window: Window | None = None,
    *,
    begin: bool = False,
    translate: Translate = str,
) -> Steps:
    """Turn a calculation into cards.

    Args:
        arrays: Of the head that is followed: Q (Tq, K), K (Tk, K), V (Tk, Kv), scores, scaled,
            allowed (boolean), masked, exponentials, weights (Tq, Tk), maxima and row_sums (Tq, 1),
            output (Tq, Kv). With a projection also X, W_Q, W_K, W_V and, of all heads side by
            side, Q_heads, K_heads, V_heads; with several heads joined (Tq, H*Kv); with an output
            projection W_O and Y.
        names: Of tokens and heads.
        scale: What the raw scores are divided by.
        window: What of it to draw.
        begin: Show Q, K and V in a card of their own; they stand nowhere else on the page.
        translate: From English to the reader's language.
    """
    arrays = {**arrays, "K_T": arrays["K"].T}
    window = window or Window()
    matrices = {name: _matrix(name, a, names, window) for name, a in arrays.items()}
    sizes = _Sizes(*arrays["Q"].shape, *arrays["V"].shape)
    cards = [
        _scores(sizes, translate),
        _scaled(sizes, scale, translate),
        _masked(arrays, translate),
        _softmax(sizes, arrays, translate),
        _output(sizes, translate),
    ]
    if "X" in arrays:
        cards.insert(0, _projection(arrays, names, translate))
    elif begin:
        cards.insert(0, _given(arrays, translate))
    if names.n_heads > 1:
        cards.append(_joined(arrays, names, translate))
    if "W_O" in arrays:
        cards.append(_output_projection(arrays, names, translate))
    offset = window.along("query", len(names.queries))[0]
    return Steps(tuple(cards), matrices, scale.divisor, names.head, offset)


@dataclass(frozen=True)
class _Sizes:
    n_queries: int
    d_k: int
    n_keys: int
    d_v: int


# -- matrices ------------------------------------------------------------------------------------

Axis = Literal["query", "key", "dim", "one"]

AXES: dict[str, tuple[Axis, Axis]] = {
    **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O", "K_T"), ("dim", "dim")),
    **dict.fromkeys(("K", "V"), ("key", "dim")),
    "K_T": ("dim", "key"),
    **dict.fromkeys(("scores", "scaled", "allowed", "masked", "exponentials"), ("query", "key")),
    **dict.fromkeys(("weights", "source", "factor", "wrong"), ("query", "key")),
    **dict.fromkeys(("maxima", "row_sums"), ("query", "one")),
}
"""What the rows and columns of a matrix are; queries by dimensions if it is not listed."""

CUT_DIMS = ("V", "output", "wrong_output")
"""A dimension of v takes part in its own output alone; those of all others are summed over."""


def _matrix(
    name: str, values: np.ndarray, names: Names, window: Window, *, whole: bool = False
) -> Matrix:
    """Give an array its names, and cut away what is neither drawn nor summed over.

    Rows that are queries are cut, since no right step sums over them; ``whole`` keeps them.
    """
    row_axis, column_axis = AXES.get(name, ("query", "dim"))
    rows = _axis_names(row_axis, values.shape[0], names)
    columns = _axis_names(column_axis, values.shape[1], names)
    matrix = Matrix(
        SYMBOLS.get(name, name),
        values,
        rows,
        columns,
        window.along(row_axis, len(rows)),
        window.along(column_axis, len(columns)),
    )
    if row_axis == "query" and not whole:
        start, stop = matrix.shown_rows
        matrix = replace(
            matrix,
            values=matrix.values[start:stop],
            rows=rows[start:stop],
            shown_rows=(0, stop - start),
            more_rows=len(rows) - (stop - start),
        )
    if name in CUT_DIMS:
        shown = matrix.shown_columns[1]
        matrix = replace(
            matrix,
            values=matrix.values[:, :shown],
            columns=columns[:shown],
            more_columns=len(columns) - shown,
        )
    return matrix


def _axis_names(axis: Axis, length: int, names: Names) -> tuple[str, ...]:
    if axis == "query":
        return names.queries
    if axis == "key":
        return names.keys
    return tuple(map(str, range(length))) if axis == "dim" else ("",)


# -- cards ---------------------------------------------------------------------------------------


def _sized(latex: str, rows: int, columns: int) -> str:
    return rf"\underset{{{rows} \times {columns}}}{{{latex}}}"


def _projection(arrays: Arrays, names: Names, translate: Translate) -> Card:
    n_tokens, d_model = arrays["X"].shape
    width = arrays["W_Q"].shape[1]
    lines = tuple(
        Line(("X", "×", f"W_{letter}", "=", f"{letter}_heads"), "product", f"project_{letter}")
        for letter in "QKV"
    )
    notes = [
        translate(
            "A token asks with its query, is found by its key, and gives its value: three "
            "views of one row of X."
        )
    ]
    if names.n_heads > 1:
        d_k = arrays["Q"].shape[1]
        notes.append(
            translate(
                "The {width} columns are {n_heads} heads of {d_k}; the steps below follow head "
                "{head}, columns {first} to {last} of Q and K."
            ).format(
                width=width,
                n_heads=names.n_heads,
                d_k=d_k,
                head=names.head,
                first=names.head * d_k,
                last=(names.head + 1) * d_k - 1,
            )
        )
    formula = (
        rf"{_sized('Q', n_tokens, width)} = {_sized('X', n_tokens, d_model)}\;"
        rf"{_sized('W^Q', d_model, width)},\quad K = X W^K,\quad V = X W^V"
    )
    return Card("project", translate("Project X to Q, K, V"), formula, lines, tuple(notes))


def _given(arrays: Arrays, translate: Translate) -> Card:
    n_queries, d_k = arrays["Q"].shape
    n_keys, d_v = arrays["V"].shape
    formula = (
        rf"{_sized('Q', n_queries, d_k)},\quad {_sized('K', n_keys, d_k)},\quad "
        rf"{_sized('V', n_keys, d_v)}"
    )
    note = translate(
        "What each token looks for (its query), what it is found by (its key), and what it gives "
        "(its value): one row a token."
    )
    lines = tuple(Line((letter,), "given", letter) for letter in "QKV")
    return Card("given", translate("Queries, keys and values"), formula, lines, (note,))


def _scores(sizes: _Sizes, translate: Translate) -> Card:
    formula = (
        rf"{_sized('S', sizes.n_queries, sizes.n_keys)} = "
        rf"{_sized('Q', sizes.n_queries, sizes.d_k)}\;"
        rf"{_sized(SYMBOLS['K_T'], sizes.d_k, sizes.n_keys)}"
        rf",\quad S_{{ij}} = \sum_{{c=1}}^{{{sizes.d_k}}} Q_{{ic}} K_{{jc}}"
    )
    note = translate("How well query and key agree: one dot product for each pair of tokens.")
    line = Line(("Q", "×", "K_T", "=", "scores"), "product", "pair")
    return Card("scores", translate("Compare queries with keys"), formula, (line,), (note,))


def _scaled(sizes: _Sizes, scale: Scale, translate: Translate) -> Card:
    root = rf"\sqrt{{d_k}} = \sqrt{{{sizes.d_k}}}" if scale.scaled else "1"
    if scale.temperature != 1:
        symbol = r"\tau \sqrt{d_k}" if scale.scaled else r"\tau"
        root = rf"{symbol} = {scale.divisor:.6g}"
    elif scale.scaled:
        root += rf" = {scale.divisor:.6g}"
    formula = rf"{_sized(SYMBOLS['scaled'], sizes.n_queries, sizes.n_keys)} = S \div ({root})"
    note = (
        translate(
            "Entries of variance 1 give dot products of variance d_k; the division keeps the "
            "softmax where it still has a gradient."
        )
        if scale.scaled
        else translate(
            "The division by √d_k is switched off: the scores stay as large as they are."
        )
    )
    line = Line(("scores", f"÷ {scale.divisor:.6g} =", "scaled"), "divide", "pair")
    return Card("scale", translate("Scale"), formula, (line,), (note,))


def _masked(arrays: Arrays, translate: Translate) -> Card:
    hidden = int((~arrays["allowed"]).sum())
    formula = (
        r"S''_{ij} = \begin{cases} S'_{ij} & M_{ij} = \text{✓} \\ -\infty & M_{ij} = \text{✗}"
        r" \end{cases}"
    )
    note = (
        translate(
            "{hidden} of {total} pairs are hidden: −∞ now, exactly 0 after the softmax."
        ).format(hidden=hidden, total=arrays["allowed"].size)
        if hidden
        else translate("Nothing is hidden.")
    )
    line = Line(("scaled", "∘", "allowed", "=", "masked"), "mask", "pair")
    return Card("mask", translate("Mask"), formula, (line,), (note,))


def _softmax(sizes: _Sizes, arrays: Arrays, translate: Translate) -> Card:
    formula = (
        r"A_{ij} = \frac{e^{S''_{ij} - m_i}}"
        rf"{{\sum_{{l=1}}^{{{sizes.n_keys}}} e^{{S''_{{il}} - m_i}}}},\quad m_i = \max_l S''_{{il}}"
    )
    notes = (
        translate("Every row becomes shares that sum to 1."),
        translate(
            "Each row's largest score m is subtracted first: it changes no weight, and no "
            "exponential can overflow."
        ),
    )
    findings = []
    largest = float(arrays["maxima"].max())
    if largest > math.log(np.finfo(np.float64).max):
        findings.append(
            translate(
                "Here it would: the largest score is {largest:.6g}, and e^{largest:.6g} is beyond "
                "any 64-bit number."
            ).format(largest=largest)
        )
    items = ("masked", "−", "maxima", "→", "exponentials", "÷", "row_sums", "=", "weights")
    line = Line(items, "softmax", "pair")
    return Card("softmax", translate("Softmax"), formula, (line,), notes, tuple(findings))


def _output(sizes: _Sizes, translate: Translate) -> Card:
    formula = (
        rf"{_sized('Z', sizes.n_queries, sizes.d_v)} = "
        rf"{_sized('A', sizes.n_queries, sizes.n_keys)}\;{_sized('V', sizes.n_keys, sizes.d_v)}"
        rf",\quad Z_i = \sum_{{j=1}}^{{{sizes.n_keys}}} A_{{ij}} V_j"
    )
    note = translate("Each token takes home a mixture of the values, by its weights.")
    line = Line(("weights", "×", "V", "=", "output"), "product", "output")
    return Card("output", translate("Mix the values"), formula, (line,), (note,))


def _joined(arrays: Arrays, names: Names, translate: Translate) -> Card:
    n_tokens, width = arrays["joined"].shape
    heads = ",\\;".join(f"Z_{{{head}}}" for head in range(names.n_heads))
    formula = rf"{_sized('Z', n_tokens, width)} = \text{{Concat}}({heads})"
    note = translate(
        "The outputs of all {n_heads} heads side by side; columns {first} to {last} are those of "
        "head {head}."
    ).format(
        n_heads=names.n_heads,
        head=names.head,
        first=names.head * arrays["output"].shape[1],
        last=(names.head + 1) * arrays["output"].shape[1] - 1,
    )
    line = Line(("output", "→", "joined"), "join", "joined")
    return Card("concat", translate("Concatenate the heads"), formula, (line,), (note,))


def _output_projection(arrays: Arrays, names: Names, translate: Translate) -> Card:
    left = "joined" if names.n_heads > 1 else "output"
    rows, inner = arrays[left].shape
    formula = (
        rf"{_sized('Y', rows, arrays['Y'].shape[1])} = {_sized('Z', rows, inner)}\;"
        rf"{_sized('W^O', inner, arrays['Y'].shape[1])}"
    )
    note = translate("W^O mixes what the heads bring back into one vector a token.")
    line = Line((left, "×", "W_O", "=", "Y"), "product", "Y")
    return Card("project_out", translate("Project the output"), formula, (line,), (note,))


def with_mistake(
    steps: Steps,
    arrays: Arrays,
    names: Names,
    *,
    title: str,
    formula: str,
    notes: Sequence[str],
    kind: Kind,
    window: Window | None = None,
) -> Steps:
    """Add a classic mistake as the last card.

    Args:
        steps: The right calculation.
        arrays: Of the head that is followed: source and wrong (Tq, Tk), wrong_output (Tq, Kv);
            factor (Tq, Tk) if ``kind`` is "times".
        names: Of tokens and heads.
        title: What the mistake is called.
        formula: The mistaken one, LaTeX.
        notes: What goes wrong, in numbers.
        kind: How ``wrong`` comes from ``source``: "softmax", "softmax_columns" or "times".
        window: What of it to draw.
    """
    window = window or Window()
    down = kind == "softmax_columns"  # sums over the queries, those that are not drawn among them
    matrices = {
        name: _matrix(name, a, names, window, whole=down and name == "source")
        for name, a in arrays.items()
    }
    items = ("source", "→", "wrong") if kind != "times" else ("source", "∘", "factor", "=", "wrong")
    lines = (
        Line(items, kind, "pair"),
        Line(("wrong", "×", "V", "=", "wrong_output"), "product", "output"),
    )
    card = Card("mistake", title, formula, lines, findings=tuple(notes))
    cards = (*steps.cards, card)
    return replace(steps, cards=cards, matrices={**steps.matrices, **matrices})


# -- for the browser -----------------------------------------------------------------------------


def steps_payload(steps: Steps) -> dict[str, Any]:
    """Cards and matrices as JSON: numbers exact, −∞ and nan as strings."""
    return {
        "divisor": steps.divisor,
        "head": steps.head,
        "offset": steps.offset,
        "wide": _drawn(steps.matrices["scores"]) > WIDE,
        "cards": [
            {
                "id": card.id,
                "title": card.title,
                "formula": mathml(card.formula),
                "notes": [*card.notes, *card.findings],
                "lines": [
                    {"items": list(line.items), "kind": line.kind, "family": line.family}
                    for line in card.lines
                ],
            }
            for card in steps.cards
        ],
        "matrices": {
            name: {
                "symbol": mathml(matrix.latex),
                "label": name,
                "values": _cells(matrix.values),
                "rows": list(matrix.rows),
                "columns": list(matrix.columns),
                "shownRows": list(matrix.shown_rows),
                "shownColumns": list(matrix.shown_columns),
                "moreRows": matrix.more_rows,
                "moreColumns": matrix.more_columns,
                "boolean": matrix.values.dtype == bool,
            }
            for name, matrix in steps.matrices.items()
        },
    }


def _drawn(matrix: Matrix) -> int:
    """Rows or columns on screen, whichever are more."""
    return max(stop - start for start, stop in (matrix.shown_rows, matrix.shown_columns))


def _cells(values: np.ndarray) -> list[list[float | str]]:
    if np.isfinite(values).all():
        cells: list[list[float | str]] = values.tolist()
        return cells
    return [[x if math.isfinite(x) else str(x) for x in row] for row in values.tolist()]
