"""Calculator: step by step, on typed numbers, a real head, a whole layer, or as exercises."""

import streamlit as st

from pages.calculator import head, norms, own, practice, whole_layer, why_scale
from pages.calculator.address import PARAMETERS, parameters
from pages.shared import address
from pages.shared.choices import choose
from pages.shared.language import _

DRAW = {
    "own": own.draw,
    "head": head.draw,
    "whole": whole_layer.draw,
    "practice": practice.draw,
    "spread": why_scale.draw,
    "norms": norms.draw,
}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(parameters()):
        st.warning(notice)
    modes = {
        "own": _("Your numbers"),
        "head": _("A real head"),
        "whole": _("A whole layer"),
        "practice": _("Practice"),
        "spread": _("Why √d_k"),
        "norms": _("Norms"),
    }
    DRAW[choose(_("What to calculate"), modes, key="mode", label_hidden=True)]()
    address.keep(PARAMETERS)


main()
