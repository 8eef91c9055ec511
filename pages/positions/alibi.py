"""ALiBi: a penalty on the scores of distant keys instead of position vectors."""

import numpy as np
import streamlit as st

from model.transformer.positions import alibi_bias, alibi_slopes
from pages.positions.shared import MAX_TOKENS, matrix, section, showing_errors, within
from pages.positions.url import Positions
from viz.figures.offsets import slopes_chart
from web.language import _
from web.widgets.charts import chart
from web.widgets.view_code import ViewCode

MAX_HEADS = 128


@section
def alibi() -> None:
    """Draw ALiBi's slopes and the bias of one head."""
    st.latex(
        r"s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m_h\,|i-j|,\qquad "
        r"m_h = 2^{-8h/n}, \quad h = 1,\ldots,n"
    )
    st.caption(
        _(
            "Press et al. 2022. The formula needs a power of two as the number of heads n. Other "
            "numbers add slopes of the next power of two."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for field in (Positions.heads, Positions.of, Positions.tokens):
            field.draw()
    with showing_errors():
        _alibi()


def _alibi() -> None:
    n_heads = within("n", Positions.heads.value, 1, MAX_HEADS)
    head = within("head", Positions.of.value, 0, n_heads - 1)
    n_tokens = within("tokens", Positions.tokens.value, 1, MAX_TOKENS)
    slopes = alibi_slopes(n_heads)
    slope = slopes[head].item()
    left, right = st.columns(2)
    with left:
        chart(
            slopes_chart(slopes.numpy(), translate=_),
            "slopes",
            f"alibi-slopes_{n_heads}",
            _("ALiBi's slopes of {n} heads, from {first:.4g} to {last:.4g}.").format(
                n=n_heads, first=slopes[0].item(), last=slopes[-1].item()
            ),
        )
    with right:
        matrix(
            alibi_bias(n_tokens, slope).numpy(),
            x_title=_("key position"),
            y_title=_("query position"),
            top=max(slope * (n_tokens - 1), 1e-6),
            sign="negative",
            title=_("What head {head} adds to its scores").format(head=head),
            key="alibi",
            file_stem=f"alibi-bias_{n_tokens}_head-{head}",
            alt=_("ALiBi's bias of head {head} over {n} tokens.").format(head=head, n=n_tokens),
            code=ViewCode(
                f"slope = alibi_slopes({n_heads})[{head}].item()\nalibi_bias({n_tokens}, slope)",
                alibi_bias,
                (alibi_slopes,),
                "Press et al. 2022, 3",
            ),
        )
    st.caption(
        _(
            "Slope of head {head}: {slope:.6g}. If two keys match equally well and one is one "
            "place farther away, it gets {ratio:.4f} times the weight."
        ).format(head=head, slope=slope, ratio=float(np.exp(-slope)))
    )
