"""Both norms of a batch as pictures, with the arithmetic of the chosen cell, and of padding."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st
from torch import Tensor

from model.calculator.norms import (
    EPSILON,
    SENTENCES,
    Normalised,
    batch_norm,
    layer_norm,
    moved_by_padding,
    real_tokens,
    script,
)
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.language import _, ngettext
from pages.shared.tables import cells
from pages.shared.take_away import take_away
from viz.figures.norms import Frame, norm_heatmap
from viz.style.theme import THEME_PAPER

_A_LINE = 4
"""Numbers of a sum on one line: a phone shows no more."""


@dataclass(frozen=True)
class Norm:
    """One of the two norms, of the cell that is looked at.

    Attributes:
        name: Of the norm.
        over: What it averages over.
        made: The whole batch.
        together: The numbers that are averaged with the cell's.
        frame: Where they stand.
        mean: Theirs.
        variance: Theirs.
        names: Of all means and variances, in their order.
    """

    name: str
    over: str
    made: Normalised
    together: list[float]
    frame: Frame
    mean: float
    variance: float
    names: list[str]


def draw_both(x: Tensor) -> None:
    """Draw both norms side by side, (B, T, D)."""
    names = token_names(x)
    for key, norm, column in zip(
        ("layer_norm", "batch_norm"), (_by_token(x), _by_feature(x)), st.columns(2), strict=True
    ):
        with column:
            _picture(x, norm, key, names)
            _spelled(x, norm)
            _table(norm)
    st.caption(
        _(
            "Sentences of a batch have different lengths and are filled up with padding, whose "
            "numbers mean nothing. BatchNorm counts them, and a sentence then comes out otherwise "
            "beside another. That is why Transformers normalise each token by itself."
        )
    )
    take_away("norms", script(x), figure="layer_norm")


def token_names(x: Tensor) -> list[str]:
    """A0, A1, ..., B0, ...: tokens count from 0."""
    return [f"{sentence}{token}" for sentence in SENTENCES for token in range(x.shape[1])]


def _cell() -> tuple[int, int, int]:
    """Sentence, token and feature that are looked at."""
    sentence, token, feature = (
        int(st.session_state[f"norm_{name}"]) for name in ("sentence", "token", "feature")
    )
    return sentence, token, feature


def _by_token(x: Tensor) -> Norm:
    sentence, token, _feature = _cell()
    made, row = layer_norm(x), sentence * x.shape[1] + token
    return Norm(
        _("LayerNorm"),
        ngettext(
            "over the {n} feature of token {name}",
            "over the {n} features of token {name}",
            x.shape[2],
        ).format(n=x.shape[2], name=token_names(x)[row]),
        made,
        x[sentence, token].tolist(),
        (row, row, 0, x.shape[2] - 1),
        float(made.mean[sentence, token]),
        float(made.variance[sentence, token]),
        token_names(x),
    )


def _by_feature(x: Tensor) -> Norm:
    feature = _cell()[2]
    made, n_rows = batch_norm(x), x.shape[0] * x.shape[1]
    return Norm(
        _("BatchNorm"),
        _("over feature {feature} of all {n} tokens").format(feature=feature, n=n_rows),
        made,
        x[..., feature].flatten().tolist(),  # (B, T) -> (B*T,)
        (0, n_rows - 1, feature, feature),
        float(made.mean[feature]),
        float(made.variance[feature]),
        [str(number) for number in range(x.shape[2])],
    )


def _picture(x: Tensor, norm: Norm, key: str, names: list[str]) -> None:
    sentence, token, feature = _cell()
    values = norm.made.output.flatten(0, 1).numpy()  # (B, T, D) -> (B*T, D)
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
    alt = _("{title}; the arithmetic of the chosen cell follows.").format(title=title)
    chart(figure, key, key, alt)


def _spelled(x: Tensor, norm: Norm) -> None:
    """Spell out the mean, the variance and the cell."""
    value = float(x[_cell()])
    output = float(norm.made.output[_cell()])
    count, mean = len(norm.together), f"{norm.mean:.4f}"
    squares = [rf"({_number(each)} - {_signed(mean)})^2" for each in norm.together]
    st.latex(
        rf"\begin{{aligned}} \mu &= \tfrac{{1}}{{{count}}} \big({_sum(norm.together)}\big) \\"
        rf"&= {mean} \\"
        rf"\sigma^2 &= \tfrac{{1}}{{{count}}} \big({_lines(squares, 2)}\big) \\"
        rf"&= {norm.variance:.4f} \\"
        rf"y &= \frac{{{_number(value)} - {_signed(mean)}}}"
        rf"{{\sqrt{{{norm.variance:.4f} + {EPSILON:.5f}}}}} = \mathbf{{{output:.4f}}}"
        r"\end{aligned}"
    )


def _sum(numbers: list[float]) -> str:
    return _lines([_signed(_number(each)) for each in numbers], _A_LINE)


def _lines(terms: list[str], per_line: int) -> str:
    """Terms of a sum, broken so that a phone shows them."""
    rows = [terms[first : first + per_line] for first in range(0, len(terms), per_line)]
    return r" \\ &\quad + ".join(" + ".join(row) for row in rows)


def _number(value: float) -> str:
    """As it was typed; very large and small ones as a power of 10."""
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.3g}"


def _signed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


def _table(norm: Norm) -> None:
    """List all means and variances that the norm takes."""
    table = pd.DataFrame(
        {
            _("of"): norm.names,
            _("mean"): norm.made.mean.flatten().numpy(),
            _("variance"): norm.made.variance.flatten().numpy(),
        }
    )
    st.dataframe(
        cells(table).style.format({_("mean"): "{:.4f}", _("variance"): "{:.4f}"}),
        hide_index=True,
        height="content",
    )


def say_padding(x: Tensor) -> None:
    """Say what the padding of a sentence does to the others' numbers."""
    n_padded = st.session_state["norm_padded"]
    if n_padded:
        moved = moved_by_padding(x, real_tokens(x, n_padded))
        words = ngettext(
            "With {n} padding token in B, BatchNorm moves what comes out of the real tokens by up "
            "to **{moved:.4f}**, those of A too; LayerNorm by **0**.",
            "With {n} padding tokens in B, BatchNorm moves what comes out of the real tokens by up "
            "to **{moved:.4f}**, those of A too; LayerNorm by **0**.",
            n_padded,
        ).format(n=n_padded, moved=moved)
    else:
        words = _("No token is padding now: choose some above, and see who else is moved by them.")
    st.markdown(words)
