"""Rotary positions: the score of rotated queries and keys depends only on their offset."""

import streamlit as st
import torch

from model import HeadlightError
from model.transformer.positions import rotary_score, rotary_scores_by_offset
from pages.positions.section import section, showing_errors
from pages.positions.sizes import whole, within
from viz.figures.offsets import score_curve
from web import settings
from web.language import _
from web.widgets.charts import chart

MAX_SEED = 10**6


@section
def rotary() -> None:
    """Draw the demonstration that the score depends only on the offset."""
    st.latex(
        r"q'_m = R_m q,\quad k'_n = R_n k\quad\Rightarrow\quad "
        r"q'_m \cdot k'_n = q^{\top} R_{n-m}\, k"
    )
    st.caption(
        _(
            "Su et al. 2021 (RoFormer), equation 16. One random query and one random key stand for "
            "two words; only their places change."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole("d_head", "d_head", step=2)
        whole(_("Query at position m"), "query_at")
        whole(_("Key at position n"), "key_at")
        whole(_("Seed of q and k"), "rotary_seed")
    with showing_errors():
        _rotated()


def _rotated() -> None:
    d_head = within("d_head", st.session_state["d_head"], 2, settings.now().width)
    m = within("m", st.session_state["query_at"], 0, settings.now().positions)
    n = within("n", st.session_state["key_at"], 0, settings.now().positions)
    seed = within("seed", st.session_state["rotary_seed"], 0, MAX_SEED)
    if d_head % 2:
        raise HeadlightError("Dimensions turn in pairs: d_head must be even, not {d}.", d=d_head)
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, d_head, generator=generator, dtype=torch.float64)  # (K,) each
    here = rotary_score(q, k, m, n)
    shifted = [rotary_score(q, k, m + by, n + by) for by in (1, 10, 100, 1000)]
    st.success(
        _(
            "q · k without positions: {plain:.6f}. With m = {m} and n = {n}: **{here:.6f}**. Both "
            "moved on by 1, 10, 100 and 1000 places, it differs by at most {off:.1g}: the score "
            "depends on n − m = {offset} alone."
        ).format(
            plain=(q @ k).item(),
            m=m,
            n=n,
            here=here,
            off=max(abs(other - here) for other in shifted),
            offset=n - m,
        )
    )
    _by_offset(q, k, n - m, here)


def _by_offset(q: torch.Tensor, k: torch.Tensor, offset: int, here: float) -> None:
    """Draw the score at every offset and mark the chosen one."""
    reach = max(64, abs(offset) + 8)
    offsets = torch.arange(-reach, reach + 1)
    chart(
        score_curve(
            offsets.numpy(),
            rotary_scores_by_offset(q, k, offsets).numpy(),
            offset,
            title=_("The score of this query and this key by their offset"),
            x_title=_("offset n − m (tokens)"),
            y_title=_("rotated q · k"),
            translate=_,
        ),
        "rotary",
        f"rotary_d-{len(q)}_seed-{st.session_state['rotary_seed']}",
        _("Rotated dot product over the offset; {here:.6f} at {offset}.").format(
            here=here, offset=offset
        ),
    )
