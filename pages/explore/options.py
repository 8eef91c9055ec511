"""Display options of tokens and weights."""

import streamlit as st

from pages.explore.url import Explore
from web.language import _
from web.widgets import sentence_box


def options() -> None:
    """Draw the options, which fold. Only options of tokens rerun more than the details."""
    # Not a popover: it would cover the heads that a choice changes.
    with (
        st.expander(_("Display"), icon=":material/tune:", key="display"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        sentence_box.second_button(_("Second sentence"))
        Explore.words.draw(on_change=sentence_box.clear_picks)
        Explore.same.draw(on_change=_on_same)
        Explore.special.draw(on_change=sentence_box.clear_picks)
        for field in (Explore.view, Explore.scale, Explore.label):
            field.draw(on_change=_repaint)


def _on_same() -> None:
    """A callback: show the same place on both sides, or keep the places and pair the next click."""
    if Explore.same.value:
        Explore.linked.value = True
    _repaint()


def _repaint() -> None:
    """A callback: rerun the details, which also update the view in the browser."""
    if sentence_box.has_text():  # without a sentence there are no details
        st.rerun("details")
