"""Decoder: a translation and a text, watched as they are written; masks, and their costs."""

import streamlit as st

from pages.decoder.address import PARAMETERS
from pages.decoder.generate import generate
from pages.decoder.generate_address import GENERATE
from pages.decoder.masks import masks
from pages.decoder.part import asked_part
from pages.decoder.translate import translate
from pages.decoder.translate_address import TRANSLATE
from pages.shared import address
from pages.shared.choices import choose
from pages.shared.language import _

DRAW = {"translate": translate, "generate": generate, "masks": masks}
ADDRESSES = {"translate": TRANSLATE, "generate": GENERATE, "masks": PARAMETERS}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(ADDRESSES[asked_part()]):
        st.warning(notice)
    parts = {"translate": _("Translate"), "generate": _("Generate"), "masks": _("Masks")}
    DRAW[choose(_("Part"), parts, "decoder_part", label_hidden=True)]()


main()
