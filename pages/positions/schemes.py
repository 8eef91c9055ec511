"""Four schemes besides sinusoids, each as a square of query and key positions."""

from typing import NamedTuple

import numpy as np
import streamlit as st
import torch

from model import load_model
from model.transformer import positions
from viz.figures.positions import matrix_heatmap
from viz.style.theme import Sign
from web.cache import loaded_models
from web.language import _
from web.widgets import present
from web.widgets.charts import chart
from web.widgets.view_code import ViewCode, loading

N_TOKENS = 24
D_HEAD = 64
LEARNED = "minilm"


class Scheme(NamedTuple):
    """A scheme: its square (T, T), the largest absolute value of its colours, and its code."""

    key: str
    title: str
    sentence: str
    square: np.ndarray
    top: float
    sign: Sign
    code: ViewCode


def schemes() -> None:
    """Draw the squares side by side, each with a sentence."""
    drawn = _schemes()
    near = drawn[0].square.diagonal(1)
    st.markdown(
        _(
            "**In {model}'s learned table, how alike two neighbours are depends on their place, "
            "from {low:.2f} to {high:.2f}; in the other three, only the distance counts, so a "
            "diagonal has one colour.**"
        ).format(model=LEARNED, low=near.min(), high=near.max())
    )
    with present.stage("schemes"):
        columns = st.columns(len(drawn))
    for scheme, column in zip(drawn, columns, strict=True):
        with column:
            figure = matrix_heatmap(
                scheme.square,
                x_title=_("key position"),
                y_title=_("query position"),
                top=scheme.top,
                sign=scheme.sign,
                title=scheme.title,
                translate=_,
            )
            alt = f"{scheme.title}: {scheme.sentence}"
            chart(figure, scheme.key, f"positions_{scheme.key}", alt, code=scheme.code)
            st.markdown(scheme.sentence)


def _schemes() -> list[Scheme]:
    equal = torch.full((N_TOKENS, D_HEAD), D_HEAD**-0.5, dtype=torch.float64)
    turned = positions.rotary(equal, torch.arange(N_TOKENS))  # (T, K)
    slope = positions.alibi_slopes(8)[0].item()
    return [
        Scheme(
            "learned",
            _("Learned"),
            _(
                "BERT learned a vector for each of 512 positions and adds it to the token's "
                "vector. The square shows how alike two of {model}'s are, 1 at most: position 0 "
                "is unlike all others."
            ).format(model=LEARNED),
            loaded_models.position_cosines(LEARNED)[:N_TOKENS, :N_TOKENS],
            1.0,
            "both",
            ViewCode(
                f"model = {loading(LEARNED)}\n"
                f"cosines(model.position_table)[:{N_TOKENS}, :{N_TOKENS}]",
                positions.cosines,
                (load_model,),
                paper="Devlin et al. 2018, 3",
            ),
        ),
        Scheme(
            "relative",
            _("Relative"),
            _(
                "T5 adds to each score a learned number for the distance. The square shows which "
                "of its 32 numbers: keys before the query and keys after it share none."
            ),
            positions.relative_buckets(N_TOKENS).numpy(),
            31.0,
            "positive",
            ViewCode(
                f"relative_buckets({N_TOKENS})",
                positions.relative_buckets,
                paper="Raffel et al. 2020, 2.1",
            ),
        ),
        Scheme(
            "rotary",
            _("Rotary"),
            _(
                "Llama turns queries and keys; the later their position, the further. The square "
                "shows the score of two equal vectors: 1 at the same position, less further apart."
            ),
            (turned @ turned.T).numpy(),  # (T, K) @ (K, T) -> (T, T)
            1.0,
            "both",
            ViewCode(
                f"x = torch.full(({N_TOKENS}, {D_HEAD}), {D_HEAD}**-0.5)\n"
                f"turned = rotary(x, torch.arange({N_TOKENS}))\nturned @ turned.T",
                positions.rotary,
                paper="Su et al. 2021, 3.2.2",
            ),
        ),
        Scheme(
            "alibi",
            _("ALiBi"),
            _(
                "ALiBi lowers each score by the distance times a number of the head. The square "
                "shows the first of 8 heads: {slope:g} less for each step away."
            ).format(slope=slope),
            positions.alibi_bias(N_TOKENS, slope).numpy(),
            slope * (N_TOKENS - 1),
            "negative",
            ViewCode(
                f"alibi_bias({N_TOKENS}, alibi_slopes(8)[0].item())",
                positions.alibi_bias,
                (positions.alibi_slopes,),
                "Press et al. 2022, 3",
            ),
        ),
    ]
