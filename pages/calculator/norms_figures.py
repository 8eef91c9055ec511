"""Figures of both norms of a batch, with the arithmetic of the chosen cell."""

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st
from torch import Tensor

from model.calculator.norms import (
    EPSILON,
    SENTENCES,
    Normalised,
    batch_norm,
    layer_norm,
    padding_effect,
    real_tokens,
)
from pages.calculator.notebook import norms_lines
from viz.figures.norms import Frame, norm_heatmap
from viz.style.labels import number
from viz.style.theme import THEME_PAPER
from web.language import _, ngettext
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import export_menu
from web.widgets.tables import cells

_PER_LINE = 4
"""Numbers of a sum on one line of a phone."""


@dataclass(frozen=True)
class Norm:
    """One of the two norms at the chosen cell.

    Attributes:
        name: Name of the norm.
        over: The axis of its averages, in words.
        normalised: The whole batch, normalised.
        averaged: The numbers that are averaged, with that of the cell.
        frame: Their rows and columns in the figure.
        mean: Their mean.
        variance: Their variance.
        names: Names of all means and variances, in order.
    """

    name: str
    over: str
    normalised: Normalised
    averaged: list[float]
    frame: Frame
    mean: float
    variance: float
    names: list[str]


def draw_both(x: Tensor) -> None:
    """Draw both norms side by side.

    Args:
        x: The batch, (B, T, D).
    """
    names = token_names(x)
    for key, norm, column in zip(
        ("layer_norm", "batch_norm"), (_by_token(x), _by_feature(x)), st.columns(2), strict=True
    ):
        with column:
            _picture(x, norm, key, names)
            _arithmetic(x, norm)
            _table(norm)
    st.caption(
        _(
            "The sentences of a batch have different lengths. Padding fills them up, and its "
            "numbers mean nothing. BatchNorm counts them, so a sentence gets another result "
            "in another batch. That is why Transformers normalise each token alone."
        )
    )
    export_menu("norms", norms_lines(x), figure="layer_norm")


def token_names(x: Tensor) -> list[str]:
    """Names of all tokens, from 0 in each sentence: A0, A1, ..., B0, ..."""
    return [f"{sentence}{token}" for sentence in SENTENCES for token in range(x.shape[1])]


def _cell() -> tuple[int, int, int]:
    """The chosen sentence, token and feature."""
    sentence, token, feature = (
        int(st.session_state[f"norm_{name}"]) for name in ("sentence", "token", "feature")
    )
    return sentence, token, feature


def _by_token(x: Tensor) -> Norm:
    sentence, token, _feature = _cell()
    normalised, row = layer_norm(x), sentence * x.shape[1] + token
    return Norm(
        _("LayerNorm"),
        ngettext(
            "over the {n} feature of token {name}",
            "over the {n} features of token {name}",
            x.shape[2],
        ).format(n=x.shape[2], name=token_names(x)[row]),
        normalised,
        x[sentence, token].tolist(),
        (row, row, 0, x.shape[2] - 1),
        float(normalised.mean[sentence, token]),
        float(normalised.variance[sentence, token]),
        token_names(x),
    )


def _by_feature(x: Tensor) -> Norm:
    feature = _cell()[2]
    normalised, n_rows = batch_norm(x), x.shape[0] * x.shape[1]
    return Norm(
        _("BatchNorm"),
        _("over feature {feature} of all {n} tokens").format(feature=feature, n=n_rows),
        normalised,
        x[..., feature].flatten().tolist(),  # (B, T) -> (B*T,)
        (0, n_rows - 1, feature, feature),
        float(normalised.mean[feature]),
        float(normalised.variance[feature]),
        [str(number) for number in range(x.shape[2])],
    )


def _picture(x: Tensor, norm: Norm, key: str, names: list[str]) -> None:
    sentence, token, feature = _cell()
    values = norm.normalised.output.flatten(0, 1).numpy()  # (B, T, D) -> (B*T, D)
    real = real_tokens(x, st.session_state["norm_padded"]).flatten()  # (B, T) -> (B*T,)
    title = f"{norm.name}: {norm.over}"
    figure = norm_heatmap(
        values,
        names,
        title=title,
        together=norm.frame,
        cell=(sentence * x.shape[1] + token, feature),
        faded=[row for row, is_real in enumerate(real.tolist()) if not is_real],
        text_colour=THEME_TEXT,
        paper_colour=THEME_PAPER,
        translate=_,
    )
    alt = _("{title}, with the arithmetic of the chosen cell.").format(title=title)
    chart(figure, key, key, alt)


def _arithmetic(x: Tensor, norm: Norm) -> None:
    """Draw the arithmetic of the mean, the variance and the cell."""
    value = float(x[_cell()])
    output = float(norm.normalised.output[_cell()])
    count, mean = len(norm.averaged), f"{norm.mean:.4f}"
    squares = [rf"({_number(each)} - {_signed(mean)})^2" for each in norm.averaged]
    st.latex(
        rf"\begin{{aligned}} \mu &= \tfrac{{1}}{{{count}}} \big({_sum(norm.averaged)}\big) \\"
        rf"&= {mean} \\"
        rf"\sigma^2 &= \tfrac{{1}}{{{count}}} \big({_lines(squares, 2)}\big) \\"
        rf"&= {norm.variance:.4f} \\"
        rf"y &= \frac{{{_number(value)} - {_signed(mean)}}}"
        rf"{{\sqrt{{{norm.variance:.4f} + {EPSILON:.5f}}}}} = \mathbf{{{output:.4f}}}"
        r"\end{aligned}"
    )


def _sum(numbers: list[float]) -> str:
    return _lines([_signed(_number(each)) for each in numbers], _PER_LINE)


def _lines(terms: list[str], per_line: int) -> str:
    """Terms of a sum, in lines that fit on a phone."""
    rows = [terms[first : first + per_line] for first in range(0, len(terms), per_line)]
    return r" \\ &\quad + ".join(" + ".join(row) for row in rows)


def _number(value: float) -> str:
    """A number as typed; very large ones as a power of 10."""
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.3g}"


def _signed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


def _table(norm: Norm) -> None:
    """Draw the table of the norm's means and variances."""
    table = pd.DataFrame(
        {
            _("of"): norm.names,
            _("mean"): norm.normalised.mean.flatten().numpy(),
            _("variance"): norm.normalised.variance.flatten().numpy(),
        }
    )
    st.dataframe(
        cells(table).style.format(
            {_("mean"): partial(number, form="z.4f"), _("variance"): "{:.4f}"}
        ),
        hide_index=True,
        height="content",
    )


def draw_padding_note(x: Tensor) -> None:
    """Draw a note on how much padding changes the other tokens' numbers.

    Args:
        x: The batch, (B, T, D).
    """
    n_padded = st.session_state["norm_padded"]
    if n_padded:
        moved = padding_effect(x, real_tokens(x, n_padded))
        words = ngettext(
            "With {n} padding token in B, the results of real tokens change by up to "
            "**{moved:.4f}** in BatchNorm, also in A. In LayerNorm they change by **0**.",
            "With {n} padding tokens in B, the results of real tokens change by up to "
            "**{moved:.4f}** in BatchNorm, also in A. In LayerNorm they change by **0**.",
            n_padded,
        ).format(n=n_padded, moved=moved)
    else:
        words = _("There is no padding now. Add some, and see which other tokens change.")
    st.markdown(words)
