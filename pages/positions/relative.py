"""Comparison of the position schemes, and T5's relative buckets."""

import streamlit as st

from model.transformer.positions import relative_buckets
from pages.positions.shared import MAX_TOKENS, matrix, section, showing_errors, within
from pages.positions.url import Positions
from web.language import _
from web.widgets.view_code import ViewCode


@section
def relative() -> None:
    """Draw the table of position schemes and T5's buckets."""
    st.markdown(
        _(
            "| scheme | what | where |\n|---|---|---|\n"
            "| sinusoidal, learned | a vector for each position | added to the embeddings, once |\n"
            "| relative (Shaw et al. 2018) | a vector for each offset | added to the keys (and "
            "values), in every layer |\n"
            "| relative (T5) | a learned number for each bucket of offsets, per head | added to "
            "the scores |\n"
            "| ALiBi | a fixed number that falls with distance, per head | added to the scores |\n"
            "| rotary | a rotation that grows with the position | applied to queries and keys, in "
            "every layer |"
        )
    )
    st.latex(
        r"\text{Shaw: } s_{ij} = \frac{q_i \cdot (k_j + a_{j-i})}{\sqrt{d_k}}\qquad"
        r"\text{T5: } s_{ij} = q_i \cdot k_j + b_{\mathrm{bucket}(j-i)}\qquad"
        r"\text{ALiBi: } s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m\,|i-j|"
    )
    Positions.tokens.draw()
    with showing_errors():
        _buckets()


def _buckets() -> None:
    n_tokens = within("tokens", Positions.tokens.value, 1, MAX_TOKENS)
    matrix(
        relative_buckets(n_tokens).numpy(),
        x_title=_("key position"),
        y_title=_("query position"),
        top=31.0,
        sign="positive",
        title=_("T5: the bucket of each pair, 0 to 31"),
        key="buckets",
        file_stem=f"t5-buckets_{n_tokens}",
        alt=_("T5's bucket of each pair of {n_tokens} tokens.").format(n_tokens=n_tokens),
        code=ViewCode(
            f"relative_buckets({n_tokens})", relative_buckets, paper="Raffel et al. 2020, 2.1"
        ),
    )
    st.caption(
        _(
            "Buckets 0 to 15 are for keys before the query, 17 to 31 for keys after it. Each near "
            "offset has its own bucket. Far offsets share buckets, on a logarithmic scale. All "
            "offsets from 128 share the last bucket."
        )
    )
