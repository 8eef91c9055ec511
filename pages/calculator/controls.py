"""The controls of a calculation: scaling, mask, decimals, classic mistakes."""

from collections.abc import Callable

import streamlit as st

from model import MAX_TOKENS
from model.calculator import MISTAKES
from pages.calculator.address import DECIMALS
from pages.shared.choices import choose
from pages.shared.language import _


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
            help=_("The scores are divided by it too: above 1 the weights level out."),
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
                _("Last keys that are padding"),
                min_value=0,
                max_value=MAX_TOKENS,
                key="padding",
                on_change=repaint,
                persist_state="session",
                width=150,
            )
        st.selectbox(
            _("A classic mistake"),
            ["none", *MISTAKES],
            format_func=lambda name: mistake_names()[name],
            key="mistake",
            on_change=repaint,
            persist_state="session",
            width=270,
        )
        choose_decimals(repaint)


def choose_decimals(on_change: Callable[[], None] | None = None) -> None:
    """Draw the choice of decimals."""
    choose(_("Decimals"), DECIMALS, key="decimals", on_change=on_change)


def repaint() -> None:
    """Repaint the steps, and nothing else of the page; a callback."""
    st.rerun("calculation")


def mistake_names() -> dict[str, str]:
    """What the classic mistakes are called."""
    return {
        "none": _("none"),
        "inverted_mask": _("The mask is inverted"),
        "wrong_axis": _("Softmax over the wrong axis"),
        "unscaled": _("No division by √d_k"),
        "mask_after_softmax": _("Mask after the softmax"),
        "after_dropout": _("Weights shown after dropout"),
    }
