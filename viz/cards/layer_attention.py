"""Attention cards of a whole layer: one head, and all heads joined.

Axes: T tokens (Tq queries, Tk keys), H n_heads, K d_head.
"""

import math

from viz.cards import arithmetic
from viz.cards.card import Line, product_line
from viz.cards.layer_builder import LayerCards, Rows


def add_attention(build: LayerCards, part: str, given: str) -> None:
    """Append the cards from the input of an attention sublayer to its output.

    Args:
        build: The builder.
        part: "self" or "cross".
        given: The matrix that enters.
    """
    _project(build, part, given)
    _compare(build, part)
    _softmax(build, part)
    _mix(build, part)
    line, formula = build.affine(part, f"{part}_concatenated", "W_O", "b_O", "output")
    note = build.translate("W^O mixes the contexts of all heads into one vector for each token.")
    title = build.translate("Project the output")
    build.card(
        "project_out",
        part,
        title,
        formula=formula,
        lines=[line],
        note=note,
        compared=f"{part}_output",
    )


def _project(build: LayerCards, part: str, given: str) -> None:
    source = "cross_memory" if part == "cross" else given
    maps = [build.affine(part, given if x == "Q" else source, f"W_{x}", f"b_{x}", x) for x in "QKV"]
    lines, formulas = [line for line, _ in maps], [formula for _, formula in maps]
    note = build.translate(
        "Query, key and value are three projections of one row. Head {head} has columns {first} "
        "to {last}."
    )
    if part == "cross":
        note = build.translate(
            "The query comes from this token. Key and value come from the source token to which "
            "head {head} attends most. The head has columns {first} to {last}."
        )
    title = build.translate("Project to Q, K, V")
    build.card(
        "project",
        part,
        title,
        formula=formulas[0],
        lines=lines,
        note=note.format(**build.head_columns()),
    )


def _compare(build: LayerCards, part: str) -> None:
    raw, scaled, pair = (f"{part}_{name}" for name in ("raw_scores", "scaled_scores", "pair"))
    query = build.of_head(f"{part}_Q")[build.window.token]  # (Tq, K) -> (K,)
    keys = build.of_head(f"{part}_K")  # (Tk, K)
    start, width = build.columns(raw)[0], build.window.d_head
    root = math.sqrt(width)
    build.spell(raw, lambda j: [arithmetic.product(query, keys[start + j], build.at(raw, j))])
    build.spell(
        scaled, lambda j: [["= ", build.at(raw, j), " ÷ ", root, " = ", build.at(scaled, j)]]
    )
    lines = [
        product_line(f"{part}_Q", f"{part}_K_T", raw, pair),
        Line((raw, f"÷ {root:.5g} =", scaled), "each", pair),
    ]
    if f"{part}_allowed" in build.arrays:
        lines.append(_mask(build, part))
    formula = rf"{build.product(f'{part}_Q', f'{part}_K_T', scaled)} \div \sqrt{{{width}}}"
    note = build.translate(
        "How well the query matches each key. The key of every token is computed like this one, "
        "from its own row."
    )
    title = build.translate("Compare with every key")
    build.card("compare", part, title, formula=formula, lines=lines, note=note)


def _mask(build: LayerCards, part: str) -> Line:
    allowed, masked = f"{part}_allowed", f"{part}_masked_scores"
    reasons = (
        build.translate("(hidden from this query)"),
        build.translate("(allowed: the score stays)"),
    )

    def rows(j: int) -> Rows:
        score = arithmetic.number(build.at(masked, j))
        return [["= ", score, f" {reasons[int(build.at(allowed, j))]}"]]

    build.spell(masked, rows)
    return Line((allowed, "→", masked), "each", f"{part}_pair")


def _softmax(build: LayerCards, part: str) -> None:
    is_masked = f"{part}_allowed" in build.arrays
    scores = f"{part}_{'masked' if is_masked else 'scaled'}_scores"
    powers, sums, weights = (f"{part}_{x}" for x in ("exponentials", "row_sums", "weights"))
    row, total = build.row(powers), build.at(sums, 0)
    largest = float(build.arrays[f"{part}_maxima"][build.window.token, 0])
    row_sum = build.translate("row sum")

    def rows(j: int) -> Rows:
        power = build.at(powers, j)
        return [
            arithmetic.power(build.at(scores, j), largest, power),
            arithmetic.total(row_sum, row, total),
            ["= ", power, " ÷ ", total, " = ", build.at(weights, j)],
        ]

    build.spell(weights, rows)
    line = Line((scores, "→", powers, "÷", sums, "=", weights), "over", f"{part}_pair")
    formula = rf"{build.sized(weights)} = \text{{softmax}}({build.latex(scores)})"
    note = build.translate(
        "Weights that sum to 1. First subtract the largest score. It changes no weight and "
        "prevents an overflow."
    )
    build.card(
        "softmax", part, build.translate("Softmax"), formula=formula, lines=[line], note=note
    )


def _mix(build: LayerCards, part: str) -> None:
    names = ("weights", "values", "context", "concatenated")
    weights, values, context, joined = (f"{part}_{name}" for name in names)
    row, head_values = build.row(weights), build.of_head(f"{part}_V")  # (Tk,), (Tk, K)
    start = build.columns(context)[0]
    build.spell(
        context,
        lambda j: [arithmetic.product(row, head_values[:, start + j], build.at(context, j))],
    )
    build.spell(joined, lambda j: [["= ", build.at(joined, j)]])
    lines = [
        product_line(weights, values, context, context),
        Line((context, "→", joined), "each", joined),
    ]
    n_heads = build.layer.n_heads
    note = build.translate(
        "The token gets a mixture of the values, by its weights. Then the contexts of all "
        "{n_heads} heads are concatenated. Columns {first} to {last} belong to head {head}."
    ).format(n_heads=n_heads, **build.head_columns())
    formula = (
        rf"{build.product(weights, values, context)},\quad {build.sized(joined)} = "
        rf"\text{{Concat}}(Z^{{(0)}},\;\ldots,\;Z^{{({n_heads - 1})}})"
    )
    title = build.translate("Mix the values, concatenate the heads")
    build.card("mix", part, title, formula=formula, lines=lines, note=note)
