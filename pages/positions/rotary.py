"""Rotary positions: the score of rotated queries and keys depends only on their offset."""

import math

import streamlit as st
import torch

from model import HeadlightError
from model.transformer import positions
from model.transformer.positions import frequencies, rotary_score, rotary_scores_by_offset
from pages.positions.shared import section, showing_errors, within
from pages.positions.url import Positions
from viz.figures.offsets import score_curve
from viz.figures.rotations import rotated_pair
from viz.style.labels import number
from web import settings
from web.language import _
from web.widgets import present
from web.widgets.charts import chart
from web.widgets.view_code import ViewCode

MAX_SEED = 10**6


@section
def rotary() -> None:
    """Draw a query and a key that turn with their positions, and their score by offset."""
    st.latex(
        r"q'_m = R_m q,\quad k'_n = R_n k\quad\Rightarrow\quad "
        r"q'_m \cdot k'_n = q^{\top} R_{n-m}\, k"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Positions.query_at.draw()
        Positions.key_at.draw()
        Positions.both.draw()
        last = max(Positions.d_head.value // 2, 1) - 1
        Positions.pair.value = min(max(Positions.pair.value, 0), last)
        Positions.pair.draw()
        Positions.d_head.draw()
        Positions.seed.draw()
    with showing_errors():
        _rotated()


def _rotated() -> None:
    d_head = within("d_head", Positions.d_head.value, 2, settings.now().width)
    m = within("m", Positions.query_at.value, 0, settings.now().positions)
    n = within("n", Positions.key_at.value, 0, settings.now().positions)
    seed = within("seed", Positions.seed.value, 0, MAX_SEED)
    if d_head % 2:
        raise HeadlightError("Dimensions turn in pairs: d_head must be even, not {d}.", d=d_head)
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(2, d_head, generator=generator, dtype=torch.float64)  # (2, K)
    q, k = vectors
    by = Positions.both.value
    _arrows(vectors, m, n, by)
    here, moved = rotary_score(q, k, m, n), rotary_score(q, k, m + by, n + by)
    st.success(
        _(
            "All {pairs} pairs together: q · k is {plain} without positions, **{here}** "
            "with m = {m} and n = {n}, and **{moved}** with both moved by {by}. The last two "
            "differ by {off:.1g}: the score depends on n − m = {offset} alone."
        ).format(
            pairs=d_head // 2,
            plain=number((q @ k).item(), "z.6f"),
            m=m,
            n=n,
            here=number(here, "z.6f"),
            moved=number(moved, "z.6f"),
            by=number(by, "d"),
            off=abs(moved - here),
            offset=number(n - m, "d"),
        )
    )
    _by_offset(q, k, n - m, here)


def _arrows(vectors: torch.Tensor, m: int, n: int, by: int) -> None:
    """Draw a pair of dimensions of q and k, (2, K), at their positions, and with both moved."""
    pair = Positions.pair.value
    dims = slice(2 * pair, 2 * pair + 2)
    plain = vectors[:, dims]  # (2, 2)
    with present.stage("rotary_arrows"):
        columns = st.columns(2)
    places = {"here": (m, n), "moved": (m + by, n + by)}
    for (key, (query_at, key_at)), column in zip(places.items(), columns, strict=True):
        turned = positions.rotary(vectors, torch.tensor([query_at, key_at]))[:, dims]  # (2, 2)
        product = _("q′ · k′ in this pair: {product}").format(
            product=number((turned[0] @ turned[1]).item(), "z.6f")
        )
        title = _("m = {m}, n = {n}").format(m=query_at, n=key_at)
        if key == "moved":
            title = _("Both moved by {by}: {title}").format(by=number(by, "d"), title=title)
        with column:
            chart(
                rotated_pair(
                    plain.numpy(),
                    turned.numpy(),
                    title=title,
                    subtitle=product,
                    top=plain.norm(dim=1).max().item(),
                    translate=_,
                ),
                f"rotary_{key}",
                f"rotary_pair-{pair}_m-{query_at}_n-{key_at}",
                _("Query and key as arrows, {title}; {product}.").format(
                    title=title, product=product
                ),
            )
    omega = frequencies(vectors.shape[1])[pair].item()
    st.caption(
        _(
            "Dotted: q and k. Solid: q′ and k′, turned by {degrees:.3g}° for each position. The "
            "grey arc is the angle between them."
        ).format(degrees=math.degrees(omega))
    )


def _by_offset(q: torch.Tensor, k: torch.Tensor, offset: int, here: float) -> None:
    """Draw the score at every offset and mark the chosen one."""
    reach = max(64, abs(offset) + 8)
    offsets = torch.arange(-reach, reach + 1)
    seed = Positions.seed.value
    lines = [
        f"generator = torch.Generator().manual_seed({seed})",
        f"q, k = torch.randn(2, {len(q)}, generator=generator, dtype=torch.float64)",
        f"offsets = torch.arange({-reach}, {reach + 1})",
        "rotary(k.expand(len(offsets), -1), offsets) @ q",
    ]
    chart(
        score_curve(
            offsets.numpy(),
            rotary_scores_by_offset(q, k, offsets).numpy(),
            offset,
            title=_("The score by offset"),
            x_title=_("offset n − m (tokens)"),
            y_title=_("q′ · k′"),
            translate=_,
        ),
        "rotary",
        f"rotary_d-{len(q)}_seed-{seed}",
        _("Rotated dot product over the offset; {here} at {offset}.").format(
            here=number(here, "z.6f"), offset=number(offset, "d")
        ),
        code=ViewCode("\n".join(lines), positions.rotary, paper="Su et al. 2021, 3.2.2"),
    )
