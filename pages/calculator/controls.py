"""Controls of a calculation: scaling, mask, decimals, classic mistakes."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from model import MAX_TOKENS, scaled_dot_product_attention
from model.calculator.mistakes import MISTAKE_NAMES, MISTAKES, mistake
from model.calculator.settings import Settings
from pages.calculator.url import DECIMALS
from web.language import _, in_words
from web.widgets.choices import choose
from web.widgets.export import code_menu
from web.widgets.view_code import ViewCode


def choose_settings() -> None:
    """Draw the controls of scaling, mask, decimals and mistakes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.toggle(_("Divide by √d_k"), key="scaled", on_change=repaint, persist_state="session")
        st.number_input(
            _("Temperature"),
            min_value=0.0,
            max_value=1e6,
            step=0.5,
            format="%g",
            key="temperature",
            on_change=repaint,
            persist_state="session",
            width=130,
            help=_("The scores are divided by it too. Over 1, the weights become more equal."),
        )
        masks = {
            "none": _("No mask"),
            "causal": _("Causal"),
            "padding": _("Padding"),
            "custom": _("Custom"),
        }
        choose(_("Mask"), masks, key="mask")
        if st.session_state["mask"] == "padding":
            st.number_input(
                _("Padding keys at the end"),
                min_value=0,
                max_value=MAX_TOKENS,
                key="padding",
                on_change=repaint,
                persist_state="session",
                width=150,
            )
        st.selectbox(
            _("A classic mistake"),
            ["none", *MISTAKE_NAMES],
            format_func=mistake_name,
            key="mistake",
            on_change=repaint,
            persist_state="session",
            width=270,
        )
        choose_decimals(repaint)


def choose_decimals(on_change: Callable[[], None] | None = None) -> None:
    """Draw the choice of decimals."""
    choose(_("Decimals"), DECIMALS, key="decimals", on_change=on_change)


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
    name = st.session_state["mistake"]
    function: Callable[..., Any] = scaled_dot_product_attention
    last = "calculation.steps.weights"
    if name != "none":
        function, last = MISTAKES[name], f"mistake({name!r}, calculation).weights"
    code = ViewCode("\n".join([*lines, last]), function, (Settings, mistake, *uses), _PAPERS[name])
    code_menu("calculation", code)


def repaint() -> None:
    """Rerun the fragment with the steps, not the page; a callback."""
    st.rerun("calculation")


def mistake_name(name: str) -> str:
    """The name on screen of a classic mistake, or of none."""
    return _("none") if name == "none" else in_words(MISTAKE_NAMES[name])
