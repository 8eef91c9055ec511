"""A pair of sinusoidal dimensions as a rotating point."""

import math

import streamlit as st

from viz.style.formula import mathml
from viz.style.theme import rgb
from web import components
from web.language import _
from web.widgets import present


def phasor(length: int, pair: int, omega: float) -> None:
    """Draw the circle with a slider through the positions, ``omega`` radians apart."""
    with present.stage("phasor", grown=True):
        components.phasor(
            {
                "omega": omega,
                "last": length - 1,
                "colour": rgb("right"),
                "second": rgb("left"),
                "formulas": [
                    mathml(rf"PE_{{(pos,\,{2 * pair})}} = \sin(\omega \cdot pos)"),
                    mathml(rf"PE_{{(pos,\,{2 * pair + 1})}} = \cos(\omega \cdot pos)"),
                    mathml(rf"\omega = {omega:.6g}"),
                ],
                "strings": {
                    "title": _("Pair {pair}: a point that turns").format(pair=pair),
                    "position": _("position"),
                    "angle": _("angle"),
                    "turns": _("turns"),
                    "sine": _("sine, dimension {dim}").format(dim=2 * pair),
                    "cosine": _("cosine, dimension {dim}").format(dim=2 * pair + 1),
                },
            },
            key="phasor",
        )
    st.caption(
        _(
            "One turn takes {wavelength:.6g} positions. Fast pairs tell neighbours apart, slow "
            "pairs tell near from far, like the hands of a clock."
        ).format(wavelength=2 * math.pi / omega)
    )
