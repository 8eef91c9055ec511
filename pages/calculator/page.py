"""Calculator: attention step by step, on typed numbers, on a real head, or as exercises."""

import streamlit as st

from pages.calculator import head, own, practice, spread
from pages.calculator.address import MODES, PARAMETERS, parameters
from pages.shared import address
from pages.shared.language import _

DRAW = {"own": own.draw, "head": head.draw, "practice": practice.draw, "spread": spread.draw}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(parameters()):
        st.warning(notice)
    names = {
        "own": _("Your numbers"),
        "head": _("A real head"),
        "practice": _("Practice"),
        "spread": _("Why √d_k"),
    }
    st.segmented_control(
        _("What to calculate"),
        MODES,
        format_func=names.__getitem__,
        key="mode",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    DRAW[st.session_state["mode"]]()
    address.keep(PARAMETERS)


main()
