"""The attention of a whole layer, card by card: one head of it, and all heads joined.

Axes: Tq queries, Tk keys, K d_head.
"""

import math

from viz.cards import told
from viz.cards.card import Line, sized
from viz.cards.layer_way import Rows, Way


def attention(way: Way, part: str, given: str) -> None:
    """Add the cards from the vectors to what leaves W^O.

    Args:
        way: So far.
        part: "self" or "cross".
        given: The matrix that enters.
    """
    _project(way, part, given)
    _compare(way, part)
    _softmax(way, part)
    _mix(way, part)
    line = way.affine(part, f"{part}_concatenated", "W_O", "b_O", "output")
    formula = way.affine_formula(part, f"{part}_concatenated", "W_O", "b_O", "output")
    note = way.translate("W^O mixes what the heads bring back into one vector a token.")
    title = way.translate("Project the output")
    way.card(
        "project_out",
        part,
        title,
        formula=formula,
        lines=[line],
        note=note,
        held_to=f"{part}_output",
    )


def _project(way: Way, part: str, given: str) -> None:
    source = "cross_memory" if part == "cross" else given
    lines = [way.affine(part, given if x == "Q" else source, f"W_{x}", f"b_{x}", x) for x in "QKV"]
    note = way.translate(
        "A token asks with its query, is found by its key, and gives its value: three views of "
        "one row. Head {head} has columns {first} to {last} of each."
    )
    if part == "cross":
        note = way.translate(
            "The query is the token's own; keys and values are of the source's tokens: here of "
            "the one to which head {head} attends most. It has columns {first} to {last}."
        )
    formula = way.affine_formula(part, given, "W_Q", "b_Q", "Q")
    title = way.translate("Project to Q, K, V")
    way.card(
        "project", part, title, formula=formula, lines=lines, note=note.format(**_columns(way))
    )


def _compare(way: Way, part: str) -> None:
    raw, scaled, pair = (f"{part}_{name}" for name in ("raw_scores", "scaled_scores", "pair"))
    query, keys = way.of_head(f"{part}_Q")[way.window.token], way.of_head(f"{part}_K")  # (Tk, K)
    start, root = way.columns(raw)[0], math.sqrt(way.window.d_head)
    way.tell(raw, lambda j: [told.product(query, keys[start + j], way.at(raw, j))])
    way.tell(scaled, lambda j: [["= ", way.at(raw, j), " ÷ ", root, " = ", way.at(scaled, j)]])
    lines = [
        Line((f"{part}_Q", "×", f"{part}_K_T", "=", raw), "product", pair),
        Line((raw, f"÷ {root:.6g} =", scaled), "each", pair),
    ]
    if f"{part}_allowed" in way.arrays:
        lines.append(_mask(way, part))
    width = way.window.d_head
    formula = (
        rf"{sized(way.latex(scaled), 1, len(keys))} = {sized(way.latex(f'{part}_Q'), 1, width)}\;"
        rf"{sized(way.latex(f'{part}_K_T'), width, len(keys))} \div \sqrt{{{width}}}"
    )
    note = way.translate(
        "How well the query and each key agree. The keys of the other tokens are made as the one "
        "above, each from its own row."
    )
    way.card(
        "compare",
        part,
        way.translate("Compare with every key"),
        formula=formula,
        lines=lines,
        note=note,
    )


def _mask(way: Way, part: str) -> Line:
    allowed, masked = f"{part}_allowed", f"{part}_masked_scores"
    why = (
        way.translate("(hidden from this query)"),
        way.translate("(allowed: the score stays)"),
    )
    way.tell(
        masked, lambda j: [["= ", told.said(way.at(masked, j)), f" {why[int(way.at(allowed, j))]}"]]
    )
    return Line((allowed, "→", masked), "each", f"{part}_pair")


def _softmax(way: Way, part: str) -> None:
    masked = f"{part}_allowed" in way.arrays
    scores = f"{part}_{'masked' if masked else 'scaled'}_scores"
    powers, sums, weights = (f"{part}_{x}" for x in ("exponentials", "row_sums", "weights"))
    every, total = way.row(powers), way.at(sums, 0)
    largest = float(way.arrays[f"{part}_maxima"][way.window.token, 0])
    row_sum = way.translate("row sum")

    def tell(j: int) -> Rows:
        power = way.at(powers, j)
        return [
            told.power(way.at(scores, j), largest, power),
            told.total(row_sum, every, total),
            ["= ", power, " ÷ ", total, " = ", way.at(weights, j)],
        ]

    way.tell(weights, tell)
    line = Line((scores, "→", powers, "÷", sums, "=", weights), "over", f"{part}_pair")
    formula = (
        rf"{sized(way.latex(weights), 1, len(every))} = "
        rf"\text{{softmax}}({way.latex(scores)})"
    )
    note = way.translate(
        "Shares that sum to 1. The largest score is subtracted first: it changes no weight, and "
        "no exponential can overflow."
    )
    way.card("softmax", part, way.translate("Softmax"), formula=formula, lines=[line], note=note)


def _mix(way: Way, part: str) -> None:
    names = ("weights", "values", "context", "concatenated")
    weights, values, context, joined = (f"{part}_{name}" for name in names)
    row, of_all = way.row(weights), way.of_head(f"{part}_V")  # (Tk,), (Tk, K)
    start = way.columns(context)[0]
    way.tell(context, lambda j: [told.product(row, of_all[:, start + j], way.at(context, j))])
    way.tell(joined, lambda j: [["= ", way.at(joined, j)]])
    lines = [
        Line((weights, "×", values, "=", context), "product", context),
        Line((context, "→", joined), "each", joined),
    ]
    note = way.translate(
        "The token takes home a mixture of the values, by its weights. The contexts of all "
        "{n_heads} heads then stand side by side; columns {first} to {last} are head {head}'s."
    ).format(n_heads=way.shape.n_heads, **_columns(way))
    width, last = way.window.d_head, way.shape.n_heads - 1
    formula = (
        rf"{sized(way.latex(context), 1, width)} = {sized(way.latex(weights), 1, len(row))}\;"
        rf"{sized(way.latex(values), len(row), width)},\quad "
        rf"{way.size(joined)} = \text{{Concat}}(Z^{{(0)}},\;\ldots,\;Z^{{({last})}})"
    )
    way.card(
        "mix",
        part,
        way.translate("Mix the values, join the heads"),
        formula=formula,
        lines=lines,
        note=note,
    )


def _columns(way: Way) -> dict[str, int]:
    """The followed head, and the first and last of its columns among those of all heads."""
    head, width = way.window.head, way.window.d_head
    return {"head": head, "first": head * width, "last": (head + 1) * width - 1}
