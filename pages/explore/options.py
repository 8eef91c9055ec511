"""How both sides show their tokens and their weights: all of it behind one button."""

from functools import partial

import streamlit as st

from pages.explore.selected import part
from web.language import _
from web.widgets import sentence_box
from web.widgets.choices import choose


def options() -> None:
    """Draw the button. Only what concerns the tokens makes more than the details anew."""
    with st.popover(_("Display"), icon=":material/tune:", key="display"):
        _tokens()
        st.toggle(_("Sides move together"), key="linked", on_change=_part, persist_state="session")
        drawn = partial(choose, on_change=_repaint)
        drawn(_("View"), {"heatmap": _("Heatmap"), "lines": _("Lines")}, "view")
        drawn(_("Colour"), {"linear": _("Linear"), "sqrt": _("Square root")}, "scale")
        drawn(_("Range"), {"unit": "0 – 1", "data": _("Data")}, "range")


def _tokens() -> None:
    st.toggle(
        _("Merge word pieces"),
        key="words",
        on_change=sentence_box.clear_picks,
        persist_state="session",
        help=_("Attention to a word is the sum over its pieces, from a word their mean."),
    )
    names = {
        "show": _("Show special tokens"),
        "hide": _("Hide them: rows sum to what remains"),
        "renormalise": _("Hide them and renormalise rows to 1"),
    }
    st.selectbox(
        _("Special tokens"),
        list(names),
        format_func=names.__getitem__,
        key="special",
        on_change=sentence_box.clear_picks,
        persist_state="session",
        width=300,
    )


def _part() -> None:
    """A callback."""
    part()
    _repaint()


def _repaint() -> None:
    """A callback: the overviews hear of it from the page's view, so the details are enough."""
    if sentence_box.has_text():  # without one there are none
        st.rerun("details")
