"""Order as a linear map, as a bias and as a rotation: shift, relative, rotary, ALiBi."""

import numpy as np
import streamlit as st
import torch

from model import HeadlightError
from model.transformer.positions import (
    alibi_bias,
    alibi_slopes,
    relative_buckets,
    rotary,
    rotation,
    sinusoids_at,
)
from pages.positions.address import MAX_D_MODEL, MAX_LENGTH, MAX_OFFSET, check_sizes, within
from pages.positions.parts import choose_sizes, refusing, section, whole
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.language import _
from viz.figures.offsets import matrix_heatmap, score_curve, shift_overlay, slopes_chart

SHOWN = 16
"""Rows and columns of a matrix that are drawn with their numbers."""


@section
def shift() -> None:
    """Show that moving by k positions is a rotation, and check it on every position."""
    st.latex(
        r"PE_{(pos+k)} = R_k\, PE_{(pos)},\qquad R_k = \mathrm{diag}\left("
        r"\begin{pmatrix}\cos k\omega_i & \sin k\omega_i \\ -\sin k\omega_i & \cos k\omega_i"
        r"\end{pmatrix}\right)_{i=0,\ldots,d_{model}/2-1}"
    )
    choose_sizes()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole(_("Position pos"), "position")
        whole(_("Shift by k"), "offset")
    with refusing():
        _shift()


def _shift() -> None:
    state = st.session_state
    length, d_model, base = state["length"], state["d_model"], state["base"]
    position, offset = state["position"], state["offset"]
    check_sizes(length, d_model, base)
    within("pos", position, 0, MAX_LENGTH)
    within("k", offset, -MAX_OFFSET, MAX_OFFSET)
    turn = rotation(offset, d_model, base)
    table = sinusoids_at(torch.arange(length), d_model, base)
    target = sinusoids_at(torch.arange(length) + offset, d_model, base)
    off = (table @ turn.T - target).abs().max().item()
    st.success(
        _(
            "Over all {length:,} positions and {d_model:,} dimensions, R PE(pos) and PE(pos + {k}) "
            "differ by {off:.1g} at most, in 64 bits. The same R serves every position: attention "
            "can learn “{k} places further” as one linear map."
        ).format(length=length, d_model=d_model, k=offset, off=off)
    )
    here = sinusoids_at(torch.tensor([position]), d_model, base)[0]
    there = sinusoids_at(torch.tensor([position + offset]), d_model, base)[0]
    left, right = st.columns(2)
    shown = min(d_model, SHOWN)
    with left:
        chart(
            matrix_heatmap(
                turn[:shown, :shown].numpy(),
                rows=np.arange(shown),
                columns=np.arange(shown),
                x_title=_("dimension of PE(pos)"),
                y_title=_("dimension of PE(pos + k)"),
                top=1.0,
                title=_("R for k = {k}: first {shown} of {d_model} dimensions").format(
                    k=offset, shown=shown, d_model=d_model
                ),
                printed=True,
                text_colour=THEME_TEXT,
                translate=_,
            ),
            "rotation",
            f"rotation_k-{offset}_{d_model}",
            _("The block-diagonal matrix that shifts by {k} positions.").format(k=offset),
        )
    with right:
        chart(
            shift_overlay(
                (turn @ here).numpy(),
                there.numpy(),
                title=_("R PE({pos}) on PE({sum})").format(pos=position, sum=position + offset),
                translate=_,
            ),
            "overlay",
            f"shift_{position}+{offset}_{d_model}",
            _("R PE({pos}) as points on PE({sum}) as a line: they coincide.").format(
                pos=position, sum=position + offset
            ),
        )


@section
def relative() -> None:
    """Show what is added where, and T5's buckets."""
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
    whole(_("Tokens"), "n_tokens")
    with refusing():
        n_tokens = st.session_state["n_tokens"]
        within("tokens", n_tokens, 1, 256)
        buckets = relative_buckets(n_tokens).numpy()
        chart(
            matrix_heatmap(
                buckets,
                rows=np.arange(n_tokens),
                columns=np.arange(n_tokens),
                x_title=_("key position"),
                y_title=_("query position"),
                top=31.0,
                title=_("T5: which of 32 learned biases each pair shares"),
                printed=n_tokens <= SHOWN,
                text_colour=THEME_TEXT,
                translate=_,
            ),
            "buckets",
            f"t5-buckets_{n_tokens}",
            _("T5's bucket of each pair of {n_tokens} tokens.").format(n_tokens=n_tokens),
        )
        st.caption(
            _(
                "Buckets 0 to 15 look back, 17 to 31 ahead. Near offsets have a bucket each, far "
                "ones share one, on a logarithmic scale up to 128; beyond, all are alike."
            )
        )


@section
def rotating() -> None:
    """Show that rotated queries and keys see their offset alone."""
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
    with refusing():
        _rotated()


def _rotated() -> None:
    state = st.session_state
    d_head, seed = state["d_head"], state["rotary_seed"]
    m, n = state["query_at"], state["key_at"]
    within("d_head", d_head, 2, MAX_D_MODEL)
    within("m", m, 0, MAX_LENGTH)
    within("n", n, 0, MAX_LENGTH)
    within("seed", seed, 0, 10**6)
    if d_head % 2:
        raise HeadlightError("Dimensions turn in pairs: d_head must be even, not {d}.", d=d_head)
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 1, d_head, generator=generator, dtype=torch.float64)

    def score(query_at: int, key_at: int) -> float:
        turned_q = rotary(q, torch.tensor([query_at]))
        return (turned_q @ rotary(k, torch.tensor([key_at])).T).item()

    here = score(m, n)
    moved = [score(m + by, n + by) for by in (1, 10, 100, 1000)]
    st.success(
        _(
            "q · k without positions: {plain:.6f}. With m = {m} and n = {n}: **{here:.6f}**. Both "
            "moved on by 1, 10, 100 and 1000 places, it differs by at most {off:.1g}: the score "
            "depends on n − m = {offset} alone."
        ).format(
            plain=(q @ k.T).item(),
            m=m,
            n=n,
            here=here,
            off=max(abs(other - here) for other in moved),
            offset=n - m,
        )
    )
    reach = max(64, abs(n - m) + 8)
    offsets = np.arange(-reach, reach + 1)
    turned = rotary(k.expand(len(offsets), -1), torch.tensor(offsets))  # (offsets, d_head)
    chart(
        score_curve(
            offsets,
            (turned @ q[0]).numpy(),
            n - m,
            title=_("The score of this query and this key by their offset"),
            x_title=_("offset n − m (tokens)"),
            y_title=_("rotated q · k"),
            translate=_,
        ),
        "rotary",
        f"rotary_d-{d_head}_seed-{seed}",
        _("Rotated dot product over the offset; {here:.6f} at {offset}.").format(
            here=here, offset=n - m
        ),
    )


@section
def alibi() -> None:
    """Show ALiBi's slopes and the bias of one head."""
    st.latex(
        r"s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m_h\,|i-j|,\qquad "
        r"m_h = 2^{-8h/n}, \quad h = 1,\ldots,n"
    )
    st.caption(
        _(
            "Press et al. 2022: no position is added anywhere; far keys are marked down. The "
            "slopes as written are for n a power of two; other counts borrow from the next one."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole(_("Heads n"), "n_heads")
        whole(_("Head shown"), "alibi_head", help=_("Heads count from 0: head 0 is h = 1."))
        whole(_("Tokens"), "n_tokens")
    with refusing():
        _alibi()


def _alibi() -> None:
    state = st.session_state
    n_heads, head, n_tokens = state["n_heads"], state["alibi_head"], state["n_tokens"]
    within("n", n_heads, 1, 128)
    within("head", head, 0, n_heads - 1)
    within("tokens", n_tokens, 1, 256)
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
        chart(
            matrix_heatmap(
                alibi_bias(n_tokens, slope).numpy(),
                rows=np.arange(n_tokens),
                columns=np.arange(n_tokens),
                x_title=_("key position"),
                y_title=_("query position"),
                top=max(slope * (n_tokens - 1), 1e-6),
                title=_("What head {head} adds to its scores").format(head=head),
                printed=n_tokens <= SHOWN,
                text_colour=THEME_TEXT,
                translate=_,
            ),
            "alibi",
            f"alibi-bias_{n_tokens}_head-{head}",
            _("ALiBi's bias of head {head} over {n} tokens.").format(head=head, n=n_tokens),
        )
    st.caption(
        _(
            "Slope of head {head}: {slope:.6g}. If all words matched equally well, a key one place "
            "further would get {ratio:.4f} times the weight."
        ).format(head=head, slope=slope, ratio=float(np.exp(-slope)))
    )
