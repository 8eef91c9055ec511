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
from web.language import _, unmarked
from web.widgets import present
from web.widgets.charts import chart
from web.widgets.glossary import underline_terms
from web.widgets.view_code import ViewCode, loading

N_TOKENS = 24
D_HEAD = 64
N_BUCKETS = 32
LEARNED = "minilm"


class Scheme(NamedTuple):
    """A scheme: its square (T, T), what a cell is, the largest absolute value, and the code."""

    key: str
    title: str
    sentence: str
    unit: str
    square: np.ndarray
    top: float
    sign: Sign
    code: ViewCode


def schemes() -> None:
    """Draw the squares side by side, each with a sentence."""
    drawn = _schemes()
    near = drawn[0].square.diagonal(1)
    present.headline("headline_schemes").markdown(
        underline_terms(
            _(
                "**In {model}, the learned vectors of neighbouring positions are alike (cosine "
                "{low:.2f} to {high:.2f} for positions 1 to {n}), but not those of positions 0 and "
                "1 ({first:.2f}).** Each picture is another way to tell a model the order; each "
                "cell is a pair of positions."
            ).format(model=LEARNED, low=near[1:].min(), high=near.max(), n=len(near), first=near[0])
        )
    )
    for scheme, column in zip(drawn, st.columns(len(drawn)), strict=True):
        with column:
            figure = matrix_heatmap(
                scheme.square,
                x_title=_("position") if scheme.key == "learned" else _("attended to (key)"),
                y_title=_("position") if scheme.key == "learned" else _("attending (query)"),
                unit=scheme.unit,
                top=scheme.top,
                sign=scheme.sign,
                title=scheme.title,
            )
            alt = unmarked(f"{scheme.title}: {scheme.sentence}")
            chart(figure, scheme.key, f"positions_{scheme.key}", alt, code=scheme.code)
            present.headline(f"headline_{scheme.key}").markdown(underline_terms(scheme.sentence))


def _schemes() -> list[Scheme]:
    equal = torch.full((N_TOKENS, D_HEAD), D_HEAD**-0.5, dtype=torch.float64)
    turned = positions.rotary(equal, torch.arange(N_TOKENS))  # (T, K)
    buckets = positions.relative_buckets(N_TOKENS, N_BUCKETS).numpy()  # (T, T)
    half = N_BUCKETS // 2  # of the groups are for keys before the query
    groups = np.where(buckets < half, -buckets, buckets - half)
    slope = positions.alibi_slopes(8)[0].item()
    return [
        Scheme(
            "learned",
            _("Learned"),
            _(
                "**As in BERT, training sets a vector for each of 512 positions, added to the "
                "token's vector.** The greener a cell, the more alike two of these vectors. "
                "Position 0 has no neighbour like it, probably because [CLS] always stands there."
            ),
            _("cosine"),
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
            _("Relative (T5)"),
            _(
                "**T5 adds a learned number to each score (how well query and key match), one for "
                "each group of distances.** Each shade is a group, numbered from the token: below "
                "0 (pink) for keys before it, above 0 (green) for keys after it. Large distances "
                "share a group."
            ),
            _("group"),
            groups,
            half - 1,
            "both",
            ViewCode(
                f"buckets = relative_buckets({N_TOKENS})\n"
                f"np.where(buckets < {half}, -buckets, buckets - {half})",
                positions.relative_buckets,
                paper="Raffel et al. 2020, 2.1",
            ),
        ),
        Scheme(
            "rotary",
            _("Rotary (Llama)"),
            _(
                "**Llama and smollm2 turn each query and key like the hand of a clock, further "
                "at each position (two numbers make one hand).** The score depends on the "
                "angle between two hands: on the distance. Here every query and key is the same "
                "vector of length 1: the score is 1 at distance 0, and mostly falls with it."
            ),
            _("score"),
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
                "**ALiBi lowers each score: the further the key, the more.** Here, by {slope:g} "
                "for each step, as in the first of a layer's 8 heads; other heads have other "
                "numbers. It was made for decoders, whose mask hides the upper half: later tokens."
            ).format(slope=slope),
            _("added to the score"),
            np.where(
                np.tri(N_TOKENS, dtype=bool), positions.alibi_bias(N_TOKENS, slope).numpy(), np.nan
            ),
            slope * (N_TOKENS - 1),
            "negative",
            ViewCode(
                f"bias = alibi_bias({N_TOKENS}, alibi_slopes(8)[0].item())\n"
                f"np.where(np.tri({N_TOKENS}, dtype=bool), bias, np.nan)",
                positions.alibi_bias,
                (positions.alibi_slopes,),
                "Press et al. 2022, 3",
            ),
        ),
    ]
