"""Sinusoidal positions: table, curves and wavelengths."""

import math

import streamlit as st
import torch
from torch import Tensor

from model.transformer.positions import frequencies, sinusoids_at
from pages.positions.url import Positions
from viz.figures.positions import (
    MAX_COLUMNS,
    MAX_ROWS,
    dimension_curves,
    encoding_heatmap,
    strided,
    wavelength_chart,
)
from web.language import _, sentences
from web.widgets import present
from web.widgets.charts import chart
from web.widgets.glossary import underline_terms
from web.widgets.view_code import ViewCode

MAX_CURVES = 12
SLOW = 20
"""Wavelength, in lengths of the picture, of a column that hardly changes in it."""


def sinusoids() -> None:
    """Draw the sinusoidal encoding (Vaswani et al. 2017, section 3.5)."""
    with st.container(horizontal=True):
        said = present.headline("headline_sinusoids")
        with st.popover(_("Options"), icon=":material/tune:", key="sinusoid_options"):
            length = Positions.length.draw()
            d_model, base = Positions.d_model.draw(), Positions.base.draw()
    wavelengths = 2 * math.pi / frequencies(d_model, base)  # (d_model / 2,)
    text = _(
        "Without positions, an encoder gives each word the same output in “dog bites man” and in "
        "“man bites dog”. To tell it the order, row 0 of this picture is added to the first "
        "token's vector, row 1 to the second's, and so on."
    )
    waves = _(
        "**Each column is a wave, in turns sine and cosine: the fastest two repeat after "
        "{first:.1f} positions, the slowest after {last:,.0f}. Fast waves tell neighbouring "
        "positions apart, slow waves distant ones.**"
    ).format(first=wavelengths[0].item(), last=wavelengths[-1].item())
    slow = _(
        "The waves on the right are so slow that only their start is seen: sines near 0 (no "
        "colour), cosines near 1 (green)."
    )
    # The glossary's cosine is the one of two vectors.
    said.markdown(sentences(underline_terms(text), waves))
    _table(length, d_model, base)
    if wavelengths[-1] > SLOW * length:
        st.markdown(slow)
    left, right = st.columns(2)
    with left:
        _curves(length, d_model, base)
    with right:
        _wavelengths(wavelengths, length, f"wavelengths_{d_model}_base-{base:g}")
    # Two lines on a phone.
    with st.container(horizontal=True, horizontal_alignment="center", key="formulas"):
        st.latex(r"PE_{(pos,\,2i)} = \sin\frac{pos}{base^{2i/d_{model}}}", width="content")
        st.latex(r"PE_{(pos,\,2i+1)} = \cos\frac{pos}{base^{2i/d_{model}}}", width="content")
    st.caption(
        _(
            "PE: a cell; pos: its row; i: its pair of columns; base: {base:,g}; d_model: the "
            "number of columns."
        ).format(base=base)
    )


def _table(length: int, d_model: int, base: float) -> None:
    rows, columns = strided(length, MAX_ROWS), strided(d_model, MAX_COLUMNS)
    table = sinusoids_at(torch.tensor(rows), d_model, base).numpy()
    title = _("Sinusoidal encoding")
    chart(
        encoding_heatmap(
            table[:, columns],
            rows=rows,
            columns=columns,
            top=1.0,
            title=title,
            subtitle=_("{length} positions × {d_model} columns, base {base:,g}").format(
                length=length, d_model=d_model, base=base
            ),
            translate=_,
        ),
        "sinusoids",
        f"sinusoids_{length}x{d_model}_base-{base:g}",
        title,
        code=ViewCode(
            f"sinusoids_at(torch.arange({length}), {d_model}, {base})",
            sinusoids_at,
            paper="Vaswani et al. 2017, 3.5",
        ),
    )
    if table[:, columns].size < length * d_model:
        st.caption(
            _("{drawn:,} of {cells:,} values are drawn.").format(
                drawn=table[:, columns].size, cells=length * d_model
            )
        )


def _curves(length: int, d_model: int, base: float) -> None:
    known = [dim for dim in Positions.dims.value if dim < d_model][:MAX_CURVES]
    Positions.dims.value = known or [0]
    chosen = Positions.dims.draw(options=range(d_model), max_selections=MAX_CURVES)
    dims = sorted(chosen) or [0]
    table = sinusoids_at(torch.arange(length), d_model, base)[:, dims].numpy()
    title = _("Even columns are sines, odd ones cosines")
    figure = dimension_curves(table, dims, title=title, translate=_)
    chart(figure, "curves", f"curves_{length}x{d_model}", title)


def _wavelengths(wavelengths: Tensor, length: int, file_stem: str) -> None:
    Positions.wave.value = min(max(Positions.wave.value, 0), len(wavelengths) - 1)
    pair = Positions.wave.draw()
    said = _("Columns {sine} and {cosine} repeat after {wavelength:.4g} positions.").format(
        sine=2 * pair, cosine=2 * pair + 1, wavelength=wavelengths[pair].item()
    )
    figure = wavelength_chart(wavelengths.numpy(), length, pair, translate=_)
    chart(figure, "wavelengths", file_stem, said)
    present.headline("headline_wave").markdown(f"**{said}**")
