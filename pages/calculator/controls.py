"""Controls of a calculation: scaling, mask, decimals, classic mistakes."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from model import scaled_dot_product_attention
from model.calculator.mistakes import MISTAKES, mistake
from model.calculator.settings import Settings
from pages.calculator.url import Calculator
from web.widgets.export import code_menu
from web.widgets.view_code import ViewCode


def choose_settings() -> None:
    """Draw the controls of scaling, mask, decimals and mistakes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Calculator.scaled.draw(on_change=repaint)
        Calculator.temperature.draw(on_change=repaint)
        if Calculator.mask.draw() == "padding":
            Calculator.padding.draw(on_change=repaint)
        Calculator.mistake.draw(on_change=repaint)
        Calculator.decimals.draw(on_change=repaint)


_PAPERS = {
    "none": "Vaswani et al. 2017, 3.2.1",
    "inverted_mask": "Vaswani et al. 2017, 3.2.3",
    "wrong_axis": "Vaswani et al. 2017, 3.2.1",
    "unscaled": "Vaswani et al. 2017, 3.2.1",
    "mask_after_softmax": "Vaswani et al. 2017, 3.2.3",
    "after_dropout": "Vaswani et al. 2017, 5.4",
}


def show_code(lines: Sequence[str], *uses: Callable[..., Any]) -> None:
    """Draw the menu with the code of the steps, and of the chosen mistake."""
    name = Calculator.mistake.value
    function: Callable[..., Any] = scaled_dot_product_attention
    last = "calculation.steps.weights"
    if name != "none":
        function, last = MISTAKES[name], f"mistake({name!r}, calculation).weights"
    code = ViewCode("\n".join([*lines, last]), function, (Settings, mistake, *uses), _PAPERS[name])
    code_menu("calculation", code)


def repaint() -> None:
    """Rerun the fragment with the steps, not the page; a callback."""
    st.rerun("calculation")
