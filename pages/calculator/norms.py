"""The mode "Norms": LayerNorm and BatchNorm of a typed batch, in one fragment."""

import streamlit as st

from model.calculator import CellError
from model.calculator.norms import SENTENCES, read
from pages.calculator import grids
from pages.calculator.norms_figures import draw_both, draw_padding_note
from pages.calculator.url import PARAMETERS
from web.language import _, in_words, plain
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.source import show_source

GRIDS = dict(zip(("norm_a", "norm_b"), SENTENCES, strict=True))
"""Session keys of the typed grids, and the sentence of each."""


@fragment("norms")
def draw() -> None:
    """Draw the question, the batch, the effect of padding, and both norms."""
    _question()
    problem = None
    try:
        x = read([st.session_state[name] for name in GRIDS])
    except CellError as error:
        problem = error
    _batch(problem)
    if problem is None:
        _controls(x.shape[1], x.shape[2])
        draw_padding_note(x)
        draw_both(x)
    elif problem.place.row is None:  # a grid shows the error of its cell
        st.error(plain(in_words(problem)))
    show_source("norms", ["layer_norm", "batch_norm"])
    address.keep(PARAMETERS)


def _question() -> None:
    st.markdown(
        _(
            "A norm rescales numbers to mean 0 and variance 1, so that they do not grow from layer "
            "to layer. A batch is a set of sentences that a model reads together; each token is a "
            "row, each feature a column. **LayerNorm** rescales one token's row. **BatchNorm** "
            "rescales one feature's column, over all sentences of the batch."
        )
    )
    st.latex(r"y = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad \varepsilon = 10^{-5}")
    st.caption(
        _(
            "Ba et al. 2016; Ioffe & Szegedy 2015. Gain and bias have their first values, 1 "
            "and 0. The variance is divided by n, not by n − 1. BatchNorm is shown in "
            "training; later it uses running averages of these means and variances."
        )
    )


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
            "rows": _("tokens"),
            "columns": _("features"),
            "cut": _(
                "You pasted {rows} x {columns} cells; {kept} of them fit. A grid has at most "
                "{most}."
            ),
            "together": _("Grids with a common size grow together"),
        },
    )


def _on_edited() -> None:
    """Store the text as typed; a callback."""
    cells = grids.edits("norm_grids").cells
    st.session_state.update({name: grid for name, grid in cells.items() if name in GRIDS})


def _controls(n_tokens: int, n_features: int) -> None:
    """Draw the choice of a cell within the batch, and of the number of padding tokens."""
    most = {"norm_sentence": 1, "norm_token": n_tokens - 1, "norm_feature": n_features - 1}
    for name, last in {**most, "norm_padded": n_tokens - 1}.items():
        st.session_state[name] = min(st.session_state[name], last)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Sentence"),
            range(len(SENTENCES)),
            format_func=lambda number: SENTENCES[number],
            key="norm_sentence",
            persist_state="session",
            width=120,
        )
        for name, label in (("norm_token", _("Token")), ("norm_feature", _("Feature"))):
            st.selectbox(label, range(most[name] + 1), key=name, persist_state="session", width=120)
        st.selectbox(
            _("Padding tokens at the end of B"),
            range(n_tokens),
            key="norm_padded",
            persist_state="session",
            width=250,
        )
