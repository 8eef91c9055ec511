"""Controls of a calculation: scaling, mask, decimals, classic mistakes."""

from collections.abc import Callable

import streamlit as st

from model import MAX_TOKENS
from model.calculator.mistakes import MISTAKE_NAMES
from pages.calculator.url import DECIMALS
from web.language import _, in_words
from web.widgets.choices import choose
from web.widgets.source import show_source


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


def show_functions(form: str) -> None:
    """Draw the source of the functions behind the steps; they depend on the chosen mistake.

    Args:
        form: The form of the input, "qkv" or "x".
    """
    mistake = st.session_state["mistake"]
    show_source("calculation", ["head", form if mistake == "none" else mistake])


def repaint() -> None:
    """Rerun the fragment with the steps, not the page; a callback."""
    st.rerun("calculation")


def mistake_name(name: str) -> str:
    """The name on screen of a classic mistake, or of none."""
    return _("none") if name == "none" else in_words(MISTAKE_NAMES[name])
