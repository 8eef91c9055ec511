"""The shift by k positions as one rotation, equal for all positions."""

import streamlit as st
import torch

from model.transformer.positions import rotation, shift_deviation, sinusoids_at
from pages.positions.shared import (
    MAX_OFFSET,
    checked_sizes,
    choose_sizes,
    matrix,
    section,
    showing_errors,
    within,
)
from pages.positions.url import Positions
from viz.figures.offsets import MAX_PRINTED, shift_overlay
from web import settings
from web.language import _
from web.widgets.charts import chart
from web.widgets.view_code import ViewCode


@section
def shift() -> None:
    """Draw the rotation for a shift by k, and check it on every position."""
    choose_sizes()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Positions.position.draw()
        Positions.offset.draw()
    with showing_errors():
        _shifted()
    st.latex(
        r"PE_{(pos+k)} = R_k\, PE_{(pos)},\qquad R_k = \mathrm{diag}\left("
        r"\begin{pmatrix}\cos k\omega_i & \sin k\omega_i \\ -\sin k\omega_i & \cos k\omega_i"
        r"\end{pmatrix}\right)_{0 \le i < d_{model}/2}"
    )


def _shifted() -> None:
    length, d_model, base = checked_sizes()
    position = within("pos", Positions.position.value, 0, settings.now().positions)
    offset = within("k", Positions.offset.value, -MAX_OFFSET, MAX_OFFSET)
    turn = rotation(offset, d_model, base)
    st.success(
        _(
            "R PE(pos) and PE(pos + {k}) differ by at most {off:.1g} over all {length:,} positions "
            "and {d_model:,} dimensions. So one linear map moves every position by {k}."
        ).format(
            length=length,
            d_model=d_model,
            k=offset,
            off=shift_deviation(length, d_model, offset, base),
        )
    )
    left, right = st.columns(2)
    with left:
        _rotation(turn, offset, base)
    with right:
        _overlay(turn, position, offset, base)


def _rotation(turn: torch.Tensor, offset: int, base: float) -> None:
    """Draw the first rows and columns of R, (D, D)."""
    d_model = len(turn)
    shown = min(d_model, MAX_PRINTED)
    matrix(
        turn[:shown, :shown].numpy(),
        x_title=_("dimension of PE(pos)"),
        y_title=_("dimension of PE(pos + k)"),
        top=1.0,
        title=_("R for k = {k}: first {shown} of {d_model} dimensions").format(
            k=offset, shown=shown, d_model=d_model
        ),
        key="rotation",
        file_stem=f"rotation_k-{offset}_{d_model}",
        alt=_("The block-diagonal matrix that shifts by {k} positions.").format(k=offset),
        code=ViewCode(
            f"rotation({offset}, {d_model}, {base})[:{shown}, :{shown}]",
            rotation,
            paper="Vaswani et al. 2017, 3.5",
        ),
    )


def _overlay(turn: torch.Tensor, position: int, offset: int, base: float) -> None:
    """Draw a position rotated by R, (D, D), over the position k further."""
    ends = torch.tensor([position, position + offset])
    here, there = sinusoids_at(ends, len(turn), base)  # (2, D)
    chart(
        shift_overlay(
            (turn @ here).numpy(),
            there.numpy(),
            title=_("R PE({pos}) on PE({sum})").format(pos=position, sum=position + offset),
            translate=_,
        ),
        "overlay",
        f"shift_{position}+{offset}_{len(turn)}",
        _("R PE({pos}) as points on PE({sum}) as a line: they coincide.").format(
            pos=position, sum=position + offset
        ),
    )
