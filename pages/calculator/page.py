"""Calculator page: attention step by step, in one of five modes."""

import streamlit as st

from pages.calculator import head, norms, practice, typed, why_scale
from pages.calculator.url import PARAMETERS, parameters
from web.language import _
from web.view_state import address
from web.widgets.choices import choose

DRAW = {
    "own": typed.draw,
    "head": head.draw,
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
        "practice": _("Practice"),
        "spread": _("Why √d_k"),
        "norms": _("Norms"),
    }
    DRAW[choose(_("What to calculate"), modes, key="mode", label_hidden=True)]()
    address.keep(PARAMETERS)


main()
