"""URL parameters of the pages whose views can be linked; the Decoder page has its own by part."""

from collections.abc import Mapping

from pages.about.url import Sizes
from pages.calculator.url import Calculator
from pages.decoder.url import PARAMETERS as DECODER
from pages.explore.url import Explore
from pages.heads.url import Heads
from pages.layers.url import Layers
from pages.lessons.room_question import lesson_titles as lesson_titles
from pages.lessons.room_question import room_plan as room_plan
from pages.lessons.room_question import room_question as room_question
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
    "/about": Sizes.fields,
}

DECODER_PARTS: Mapping[str, Parameters] = DECODER
"""The Decoder page has other parameters in each of its parts."""
