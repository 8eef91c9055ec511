"""URL parameters of the pages whose views can be linked; the Decoder page has its own by part."""

from collections.abc import Mapping

from pages.about.url import PARAMETERS as ABOUT
from pages.calculator.url import PARAMETERS as CALCULATOR
from pages.decoder.url import PARAMETERS as DECODER
from pages.explore.url import PARAMETERS as EXPLORE
from pages.heads.url import PARAMETERS as HEADS
from pages.layers.url import PARAMETERS as LAYERS
from pages.picture.url import READER as MODEL
from pages.positions.url import PARAMETERS as POSITIONS
from web.view_state.address import Parameters

BY_PATH: Mapping[str, Parameters] = {
    "/": EXPLORE,
    "/model": MODEL,
    "/layers": LAYERS,
    "/heads": HEADS,
    "/decoder": DECODER["translate"],
    "/calculator": CALCULATOR,
    "/positions": POSITIONS,
    "/about": ABOUT,
}

DECODER_PARTS: Mapping[str, Parameters] = DECODER
"""The Decoder page has other parameters in each of its parts."""


def parameters_of(path: str, part: str = "") -> Parameters | None:
    """Return the URL parameters of the page at a path, or None if no page has such a view.

    Args:
        path: From the root, such as ``/layers``.
        part: Part of the page; only the Decoder page has other parameters in each.
    """
    found = BY_PATH.get(path)
    return DECODER_PARTS.get(part, found) if path == "/decoder" else found
