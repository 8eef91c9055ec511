"""Cards of a whole layer, for one token from its input to its output.

Axes: T tokens, D d_model, F d_ff.
"""

import math
from collections.abc import Mapping

from viz.cards import arithmetic
from viz.cards.card import Line, Translate
from viz.cards.layer_attention import add_attention
from viz.cards.layer_builder import LayerCards, LayerShape, Rows
from viz.cards.layer_window import LayerNames, LayerWindow
from viz.cards.matrices import Arrays
from viz.cards.steps import Steps


def layer_steps(
    arrays: Arrays,
    layer: LayerShape,
    names: LayerNames,
    window: LayerWindow,
    errors: Mapping[str, float],
    eps: float,
    translate: Translate = str,
) -> Steps:
    """Turn a layer into cards (Vaswani et al. 2017, section 3.1 and figure 1).

    Args:
        arrays: All matrices of the layer for all tokens, by the names of
            ``model.calculator.layer_matrices``.
        layer: The structure of the layer.
        names: Names of the tokens.
        window: The token to follow, and the rows and columns to draw.
        errors: The largest difference of the model from a matrix, by its name.
        eps: The constant that LayerNorm adds to the variance.
        translate: From English to the reader's language.
    """
    build = LayerCards(arrays, layer, names, window, errors, eps, translate)
    note = translate("The input of the layer for this token: {d_model} numbers.").format(
        d_model=arrays["X"].shape[1]
    )
    line = Line(("X",), "given", "X")
    build.card(
        "enter", "", translate("What enters"), formula=build.sized("X"), lines=[line], note=note
    )
    stream = "X"
    for part in layer.parts:
        given = _norm_first(build, part, stream) if layer.pre_norm else stream
        (_feed_forward if part == "ffn" else add_attention)(build, part, given)
        stream = _add(build, part, stream)
    divisor = math.sqrt(window.d_head)
    return Steps(tuple(build.cards), build.matrices, divisor, window.head, 0, build.spelled)


def _norm_first(build: LayerCards, part: str, given: str) -> str:
    """Append the LayerNorm before a sublayer; return the name of its result."""
    norm = f"{part}_norm"
    line, formula = _norm(build, part, given)
    title = build.translate("Norm")
    build.card(
        "norm", part, title, formula=formula, lines=[line], note=_norm_note(build), compared=norm
    )
    return norm


def _add(build: LayerCards, part: str, before: str) -> str:
    """Append the residual connection, and the LayerNorm of a post-norm layer.

    Returns:
        The name of the residual stream after the sublayer.
    """
    output, added = f"{part}_output", f"{part}_added"

    def rows(j: int) -> Rows:
        terms = build.at(before, j), [build.at(output, j)]
        return [["= ", terms[0], " + ", terms[1], " = ", build.at(added, j)]]

    build.spell(added, rows)
    lines = [Line((before, "+", output, "=", added), "each", added)]
    formula = f"{build.sized(added)} = {build.latex(before)} + {build.latex(output)}"
    note = build.translate("The residual connection adds the output to the token's input.")
    if build.layer.pre_norm:
        title, result = build.translate("Add"), added
    else:
        title, result = build.translate("Add & Norm"), f"{part}_norm"
        norm_line, norm_formula = _norm(build, part, added)
        lines.append(norm_line)
        formula += rf",\quad {norm_formula}"
        note = f"{note} {_norm_note(build)}"
    build.card("add", part, title, formula=formula, lines=lines, note=note, compared=result)
    return result


def _norm(build: LayerCards, part: str, given: str) -> tuple[Line, str]:
    """The equation of a LayerNorm and its formula, LaTeX."""
    names = ("mean", "variance", "gain", "bias", "norm")
    mean, variance, gain, bias, norm = (f"{part}_{name}" for name in names)
    row, centre, spread = build.row(given), build.at(mean, 0), build.at(variance, 0)

    def rows(j: int) -> Rows:
        numbers = build.at(given, j), centre, spread
        affine = build.at(gain, j), build.at(bias, j)
        return [
            arithmetic.mean("μ", row, centre),
            arithmetic.variance(row, centre, spread),
            arithmetic.norm(numbers, *affine, build.eps, build.at(norm, j)),
        ]

    build.spell(norm, rows)
    items = (given, "→", mean, "→", variance, "×", gain, "+", bias, "=", norm)
    digits, _, power = f"{build.eps:e}".partition("e")
    eps = f"10^{{{int(power)}}}" if float(digits) == 1 else f"{build.eps:g}"
    formula = (
        rf"{build.latex(norm)} = \frac{{{build.latex(given)} - \mu}}{{\sqrt{{\sigma^2 + {eps}}}}}"
        r"\,\gamma + \beta"
    )
    return Line(items, "over", norm), formula


def _norm_note(build: LayerCards) -> str:
    return build.translate(
        "LayerNorm treats each token separately. It subtracts the mean μ, divides by the "
        "standard deviation σ, multiplies by γ and adds β. γ and β are learned."
    )


def _feed_forward(build: LayerCards, part: str, given: str) -> None:
    """Append the feed-forward network (eq. 2): wider, activation, narrower."""
    widened, formula = build.affine(part, given, "W_in", "b_in", "hidden")
    hidden, share, active = "ffn_hidden", "ffn_share", "ffn_activated"
    row = build.row(active)
    note = build.translate(
        "Each token separately: {active} of {d_ff} hidden units are above 0 here. Unit "
        "{largest} is the largest."
    ).format(d_ff=len(row), active=int((row > 0).sum()), largest=int(row.argmax()))
    is_gelu = share in build.arrays
    if is_gelu:
        title, rule = build.translate("Feed-forward: expand, GELU"), r"G = H \circ \Phi(H)"
        line = Line((hidden, "×", share, "=", active), "each", active)
        note += " " + build.translate(
            "GELU multiplies a number by the share of a normal distribution below it."
        )
    else:
        title, rule = build.translate("Feed-forward: expand, ReLU"), r"G = \max(0,\; H)"
        line = Line((hidden, "→", active), "each", active)

    def rows(j: int) -> Rows:
        x, result = build.at(hidden, j), build.at(active, j)
        if is_gelu:
            return [["= ", x, " × ", [build.at(share, j)], " = ", result]]
        return [["= max(0, ", x, ") = ", result]]

    build.spell(active, rows)
    build.card(
        "widen", part, title, formula=rf"{formula},\quad {rule}", lines=[widened, line], note=note
    )
    narrowed, formula = build.affine(part, active, "W_out", "b_out", "output")
    note = build.translate("Back to d_model numbers.")
    title = build.translate("Feed-forward: contract")
    build.card(
        "narrow", part, title, formula=formula, lines=[narrowed], note=note, compared="ffn_output"
    )
