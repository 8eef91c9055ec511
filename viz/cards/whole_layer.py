"""A whole layer as cards: the way of one token from what enters the layer to what leaves it.

Axes: T tokens, D d_model, F d_ff.
"""

import math
from collections.abc import Mapping

from viz.cards import told
from viz.cards.card import Line, Translate
from viz.cards.layer_attention import attention
from viz.cards.layer_way import LayerShape, Rows, Way
from viz.cards.layer_window import LayerNames, LayerWindow
from viz.cards.matrices import Arrays
from viz.cards.steps import Steps


def layer_steps(
    arrays: Arrays,
    shape: LayerShape,
    names: LayerNames,
    window: LayerWindow,
    off: Mapping[str, float],
    eps: float,
    translate: Translate = str,
) -> Steps:
    """Turn a layer into cards.

    Args:
        arrays: By name, as ``model.calculator.layer_matrices`` has them: of all tokens.
        shape: How the layer is built.
        names: Of the tokens.
        window: Which token is followed, and what of it is drawn.
        off: How far the model itself is at most from a matrix, by its name.
        eps: What LayerNorm adds to the variance.
        translate: From English to the reader's language.
    """
    way = Way(arrays, shape, names, window, off, translate)
    note = translate(
        "All that the layer gets of this token: {d_model} numbers. Every token has such a row."
    ).format(d_model=arrays["X"].shape[1])
    line = Line(("X",), "given", "X")
    way.card("enter", "", translate("What enters"), formula=way.size("X"), lines=[line], note=note)
    stream = "X"
    for part in shape.parts:
        given = _norm_before(way, part, stream, eps) if shape.pre_norm else stream
        (_feed_forward if part == "ffn" else attention)(way, part, given)
        stream = _add(way, part, stream, eps)
    divisor = math.sqrt(window.d_head)
    return Steps(tuple(way.cards), way.matrices, divisor, window.head, 0, way.spelled)


def _norm_before(way: Way, part: str, given: str, eps: float) -> str:
    """LayerNorm of what a sublayer of a pre-norm layer reads."""
    line, formula = _normed(way, part, given, eps), _norm_formula(way, part, given, eps)
    norm = f"{part}_norm"
    title, note = way.translate("Norm"), _norm_note(way)
    way.card("norm", part, title, formula=formula, lines=[line], note=note, held_to=norm)
    return norm


def _add(way: Way, part: str, before: str, eps: float) -> str:
    """The residual connection, and LayerNorm behind it in a post-norm layer."""
    output, added = f"{part}_output", f"{part}_added"
    way.tell(
        added,
        lambda j: [["= ", way.at(before, j), " + ", [way.at(output, j)], " = ", way.at(added, j)]],
    )
    lines = [Line((before, "+", output, "=", added), "each", added)]
    formula = f"{way.size(added)} = {way.latex(before)} + {way.latex(output)}"
    note = way.translate(
        "What the token brought stays, and what it was given is added: the residual connection."
    )
    if way.shape.pre_norm:
        way.card(
            "add",
            part,
            way.translate("Add"),
            formula=formula,
            lines=lines,
            note=note,
            held_to=added,
        )
        return added
    lines.append(_normed(way, part, added, eps))
    formula += rf",\quad {_norm_formula(way, part, added, eps)}"
    note = f"{note} {_norm_note(way)}"
    norm = f"{part}_norm"
    way.card(
        "add",
        part,
        way.translate("Add & Norm"),
        formula=formula,
        lines=lines,
        note=note,
        held_to=norm,
    )
    return norm


def _normed(way: Way, part: str, given: str, eps: float) -> Line:
    names = ("mean", "variance", "gain", "bias", "norm")
    mean, variance, gain, bias, norm = (f"{part}_{name}" for name in names)
    row, centre, spread = way.row(given), way.at(mean, 0), way.at(variance, 0)

    def tell(j: int) -> Rows:
        numbers = way.at(given, j), centre, spread
        return [
            told.mean("μ", row, centre),
            told.variance(row, centre, spread),
            told.norm(numbers, way.at(gain, j), way.at(bias, j), eps, way.at(norm, j)),
        ]

    way.tell(norm, tell)
    items = (given, "→", mean, "→", variance, "×", gain, "+", bias, "=", norm)
    return Line(items, "over", norm)


def _norm_formula(way: Way, part: str, given: str, eps: float) -> str:
    symbol = way.latex(given)
    digits, _, power = f"{eps:e}".partition("e")
    small = f"10^{{{int(power)}}}" if float(digits) == 1 else f"{eps:g}"
    return (
        rf"{way.latex(f'{part}_norm')} = \frac{{{symbol} - \mu}}{{\sqrt{{\sigma^2 + {small}}}}}"
        r"\,\gamma + \beta"
    )


def _norm_note(way: Way) -> str:
    return way.translate(
        "LayerNorm looks at each token alone: its numbers are centred by their mean μ, divided by "
        "their spread, then times γ, plus β, which were learned."
    )


def _feed_forward(way: Way, part: str, given: str) -> None:
    """Widen, activate, narrow."""
    widened = way.affine(part, given, "W_in", "b_in", "hidden")
    hidden, share, active = "ffn_hidden", "ffn_share", "ffn_activated"
    row = way.row(active)
    note = way.translate(
        "Each token alone: of {d_ff} hidden units {active} are above 0 here, and unit {largest} "
        "is the largest."
    ).format(d_ff=len(row), active=int((row > 0).sum()), largest=int(row.argmax()))
    formula = way.affine_formula(part, given, "W_in", "b_in", "hidden")
    if share in way.arrays:
        title, rule = way.translate("Feed forward: widen, GELU"), r"G = H \circ \Phi(H)"
        line = Line((hidden, "×", share, "=", active), "each", active)
        note += " " + way.translate(
            "GELU multiplies a number by the share of a normal distribution that lies below it."
        )

        def tell(j: int) -> Rows:
            times, result = [way.at(share, j)], way.at(active, j)
            return [["= ", way.at(hidden, j), " × ", times, " = ", result]]
    else:
        title, rule = way.translate("Feed forward: widen, ReLU"), r"G = \max(0,\; H)"
        line = Line((hidden, "→", active), "each", active)

        def tell(j: int) -> Rows:
            return [["= max(0, ", way.at(hidden, j), ") = ", way.at(active, j)]]

    way.tell(active, tell)
    formula = rf"{formula},\quad {rule}"
    way.card("widen", part, title, formula=formula, lines=[widened, line], note=note)
    narrowed = way.affine(part, active, "W_out", "b_out", "output")
    formula = way.affine_formula(part, active, "W_out", "b_out", "output")
    note = way.translate("And back to the width of the layer.")
    title = way.translate("Feed forward: back")
    way.card(
        "narrow", part, title, formula=formula, lines=[narrowed], note=note, held_to="ffn_output"
    )
