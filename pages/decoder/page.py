"""Decoder: from the causal triangle to what attention costs."""

import streamlit as st

from pages.decoder.address import PARAMETERS
from pages.decoder.masks import masks
from pages.shared import address
from pages.shared.choices import choose
from pages.shared.language import _

DRAW = {"masks": masks}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    parts = {"masks": _("Masks")}
    DRAW[choose(_("Part"), parts, "decoder_part", label_hidden=True)]()


main()
