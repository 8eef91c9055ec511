"""URL parameters of the pages whose views can be linked; the Decoder page has its own by part."""

from collections.abc import Mapping

from pages.about.url import Sizes
from pages.calculator.url import Calculator
from pages.course.url import Lessons
from pages.decoder.url import PARAMETERS as DECODER
from pages.explore.url import Explore
from pages.heads.url import Heads
from pages.layers.url import Layers
from pages.picture.url import Reader
from pages.positions.url import Positions
from web.view_state.address import Parameters

BY_PATH: Mapping[str, Parameters] = {
    "/": Explore.fields,
    "/model": Reader.fields,
    "/layers": Layers.fields,
    "/heads": Heads.fields,
    "/decoder": DECODER["translate"],
    "/calculator": Calculator.fields,
    "/positions": Positions.fields,
    "/lessons": Lessons.fields,
    "/about": Sizes.fields,
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
