"""Positions: how order gets into attention, to be seen and touched."""

import streamlit as st

from pages.positions import moving, shuffle, tables
from pages.positions.address import KINDS, PARAMETERS
from pages.shared import address
from pages.shared.language import _

DRAW = {
    "sinusoidal": tables.sinusoidal,
    "learned": tables.learned,
    "shift": moving.shift,
    "relative": moving.relative,
    "rotary": moving.rotating,
    "alibi": moving.alibi,
    "shuffle": shuffle.shuffle,
}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    names = {
        "sinusoidal": _("Sinusoids"),
        "learned": _("Learned tables"),
        "shift": _("Shift by k"),
        "relative": _("Relative"),
        "rotary": _("Rotary"),
        "alibi": _("ALiBi"),
        "shuffle": _("Shuffle test"),
    }
    st.segmented_control(
        _("Kind of position"),
        KINDS,
        format_func=names.__getitem__,
        key="kind",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    DRAW[st.session_state["kind"]]()


main()
