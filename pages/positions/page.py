"""The Positions page: how attention learns about order."""

import streamlit as st

from pages.positions.alibi import alibi
from pages.positions.learned import learned
from pages.positions.relative import relative
from pages.positions.rotary import rotary
from pages.positions.shift import shift
from pages.positions.shuffle import shuffle
from pages.positions.sinusoids import sinusoids
from pages.positions.url import PARAMETERS
from web.language import _
from web.view_state import address
from web.widgets import present
from web.widgets.choices import choose
from web.widgets.share_link import copy_link

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
