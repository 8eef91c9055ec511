"""Decoder page: translation and generation token by token, masks."""

from pages.decoder.generate import generate
from pages.decoder.masks import masks
from pages.decoder.translate import translate
from pages.decoder.url import PARAMETERS, PART, requested_part
from web.view_state import address

DRAW = {"translate": translate, "generate": generate, "masks": masks}


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(PARAMETERS[requested_part()])
    DRAW[PART.draw()]()


main()
