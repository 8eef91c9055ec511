"""Calculator page: attention step by step on typed numbers or a real head, and exercises.

Lessons and steps open two more views, which are no parts: why √d_k, and LayerNorm beside BatchNorm.
"""

import streamlit as st

from pages.calculator import head, norms, practice, typed, why_scale
from pages.calculator.url import Calculator, parameters
from web.language import _
from web.view_state import address

PARTS = {"own": typed.draw, "head": head.draw, "practice": practice.draw}
VIEWS = {"spread": why_scale.draw, "norms": norms.draw}


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(parameters())
    if "mode" not in st.query_params and Calculator.mode.value in VIEWS:
        _leave_view()  # the menu opens a part
    if view := VIEWS.get(Calculator.mode.value):
        st.button(_("To the Calculator"), icon=":material/arrow_back:", on_click=_leave_view)
        view()
    else:
        names = Calculator.mode.names()
        PARTS[Calculator.mode.draw(options={part: names[part] for part in PARTS})]()
    address.keep(Calculator.fields)


def _leave_view() -> None:
    """Show the first part; a callback."""
    Calculator.mode.value = Calculator.mode.default


main()
