"""Decoder page: translation and generation token by token, masks, efficient attention."""

import streamlit as st

from pages.decoder.efficient import efficient
from pages.decoder.generate import generate
from pages.decoder.masks import masks
from pages.decoder.translate import translate
from pages.decoder.url import PARAMETERS, requested_part
from web.language import _
from web.view_state import address
from web.widgets.choices import choose

DRAW = {"translate": translate, "generate": generate, "masks": masks, "efficient": efficient}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS[requested_part()]):
        st.warning(notice)
    parts = {
        "translate": _("Translate"),
        "generate": _("Generate"),
        "masks": _("Masks"),
        "efficient": _("Efficient attention"),
    }
    DRAW[choose(_("Part"), parts, "decoder_part", label_hidden=True)]()


main()
