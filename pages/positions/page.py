"""Positions: how order gets into attention, to be seen and touched."""

import streamlit as st

from pages.positions.address import PARAMETERS
from pages.positions.alibi import alibi
from pages.positions.learned import learned
from pages.positions.relative import relative
from pages.positions.rotary import rotary
from pages.positions.shift import shift
from pages.positions.shuffle import shuffle
from pages.positions.sinusoids import sinusoids
from pages.shared import address, present
from pages.shared.choices import choose
from pages.shared.hand_out import copy_link
from pages.shared.language import _

DRAW = {
    "sinusoidal": sinusoids,
    "learned": learned,
    "shift": shift,
    "relative": relative,
    "rotary": rotary,
    "alibi": alibi,
    "shuffle": shuffle,
}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    kinds = {
        "sinusoidal": _("Sinusoids"),
        "learned": _("Learned tables"),
        "shift": _("Shift by k"),
        "relative": _("Relative"),
        "rotary": _("Rotary"),
        "alibi": _("ALiBi"),
        "shuffle": _("Shuffle test"),
    }
    kind = choose(_("Kind of position"), kinds, "kind", label_hidden=True)
    DRAW[kind]()
    present.caption_line(kinds[kind])
    copy_link()


main()
