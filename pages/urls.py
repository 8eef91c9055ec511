"""URL parameters of the pages whose views can be linked; the Decoder page has its own by part."""

from collections.abc import Mapping

from pages.about.url import PARAMETERS as ABOUT
from pages.calculator.url import PARAMETERS as CALCULATOR
from pages.decoder.url import PARAMETERS as DECODER
from pages.explore.url import PARAMETERS as EXPLORE
from pages.heads.url import PARAMETERS as HEADS
from pages.layers.url import PARAMETERS as LAYERS
from pages.lessons.room_question import lesson_titles as lesson_titles
from pages.lessons.room_question import room_plan as room_plan
from pages.lessons.room_question import room_question as room_question
from pages.picture.url import READER as MODEL
from pages.positions.url import Positions
from web.view_state.address import Parameters

BY_PATH: Mapping[str, Parameters] = {
    "/": EXPLORE,
    "/model": MODEL,
    "/layers": LAYERS,
    "/heads": HEADS,
    "/decoder": DECODER["translate"],
    "/calculator": CALCULATOR,
    "/positions": Positions.fields,
    "/about": ABOUT,
}

DECODER_PARTS: Mapping[str, Parameters] = DECODER
"""The Decoder page has other parameters in each of its parts."""
