"""LayerNorm beside BatchNorm of a typed batch, in one fragment."""

from collections.abc import Callable

import streamlit as st
from torch import Tensor

from model.calculator import CellError
from model.calculator.norms import EPSILON, SENTENCES, Normalised, batch_norm, layer_norm, read
from pages.calculator import grids
from pages.calculator.url import Calculator
from viz.figures.norms import norm_heatmap
from viz.style.traces import Frame
from web.language import _, in_words, plain
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.view_code import ViewCode

GRIDS = dict(zip(("norm_a", "norm_b"), SENTENCES, strict=True))
"""Session keys of the typed grids, and the sentence of each."""

TOKEN, FEATURE = 1, 2
"""The cell of sentence A whose arithmetic is shown."""


@fragment("norms")
def draw() -> None:
    """Draw the batch and both norms."""
    problem = None
    try:
        x = read([st.session_state[name] for name in GRIDS])
    except CellError as error:
        problem = error
    st.markdown(
        _(
            "**LayerNorm** gives each token (a row) mean 0 and variance 1. **BatchNorm** does it "
            "for each feature (a column), over all sentences of the batch."
        )
    )
    _batch(problem)
    if problem is None:
        _draw_both(x)
    elif problem.place.row is None:  # a grid shows the error of its cell
        st.error(plain(in_words(problem)))
    address.keep(Calculator.fields)


def _batch(problem: CellError | None) -> None:
    """Draw the grids: a row for each token, a column for each feature."""
    grids.draw(
        [
            grids.Grid(
                name,
                sentence,
                st.session_state[name],
                label=_("Sentence {name}").format(name=sentence),
                sizes=("token", "feature"),
                locked=False,
                problem=problem if problem and problem.place.matrix == sentence else None,
            )
            for name, sentence in GRIDS.items()
        ],
        key="norm_grids",
        on_edited=_on_edited,
        strings={
            "rows": _("rows"),
            "columns": _("columns"),
        },
    )


def _on_edited() -> None:
    """Store the text as typed; a callback."""
    cells = grids.edits("norm_grids").cells
    st.session_state.update({name: grid for name, grid in cells.items() if name in GRIDS})


def _draw_both(x: Tensor) -> None:
    """Draw both norms of a batch (B, T, D) side by side."""
    n_sentences, n_tokens, n_features = x.shape
    token, feature = min(TOKEN, n_tokens - 1), min(FEATURE, n_features - 1)
    cell = (0, token, feature)
    drawn: list[tuple[str, Callable[[Tensor], Normalised], str, str, Frame, tuple[int, ...]]] = [
        (
            "layer_norm",
            layer_norm,
            "Ba et al. 2016, 3",
            _("LayerNorm: over the features of token {name}").format(name=f"{SENTENCES[0]}{token}"),
            (token, token, 0, n_features - 1),
            (0, token),
        ),
        (
            "batch_norm",
            batch_norm,
            "Ioffe & Szegedy 2015, 3",
            _("BatchNorm: over feature {feature} of all tokens").format(feature=feature),
            (0, n_sentences * n_tokens - 1, feature, feature),
            (feature,),
        ),
    ]
    by_token, by_feature = (normalise(x).output[cell].item() for _key, normalise, *_rest in drawn)
    said = _("LayerNorm turns the {x:g} of token {name} into {row:.2f}, BatchNorm into {col:.2f}.")
    said = said.format(
        x=x[cell].item(), name=f"{SENTENCES[0]}{token}", row=by_token, col=by_feature
    )
    st.markdown(f"**{said.replace('-', '−')}**")
    for column, (key, normalise, paper, title, averaged, place) in zip(
        st.columns(2), drawn, strict=True
    ):
        norm = normalise(x)
        figure = norm_heatmap(
            norm.output.flatten(0, 1).numpy(),  # (B, T, D) -> (B*T, D)
            [f"{sentence}{token}" for sentence in SENTENCES for token in range(n_tokens)],
            title=title,
            together=averaged,
            text_colour=THEME_TEXT,
            translate=_,
        )
        lines = f"x = torch.tensor({x.tolist()}, dtype=torch.float64)"
        code = ViewCode(f"{lines}\n{key}(x).output.flatten(0, 1)", normalise, paper=paper)
        with column:
            chart(figure, key, key, title, code=code)
            st.latex(_arithmetic(x[cell].item(), norm, cell, place))
    st.markdown(
        _(
            "BatchNorm counts padding too, so a sentence gets another result in another batch. "
            "Transformers therefore normalise each token alone."
        )
    )
    st.caption(_("Gain 1, bias 0, variance divided by n; BatchNorm as in training."))


def _arithmetic(
    x: float, norm: Normalised, cell: tuple[int, ...], averaged: tuple[int, ...]
) -> str:
    """The arithmetic of a cell, from the mean and the variance at their own place, LaTeX."""
    mean, variance = float(norm.mean[averaged]), float(norm.variance[averaged])
    signed = f"({mean:.4f})" if mean < 0 else f"{mean:.4f}"
    return (
        rf"y = \frac{{x - \mu}}{{\sqrt{{\sigma^2 + \varepsilon}}}} = "
        rf"\frac{{{x:.6g} - {signed}}}{{\sqrt{{{variance:.4f} + {EPSILON:.5f}}}}} = "
        rf"\mathbf{{{float(norm.output[cell]):.4f}}}"
    )
