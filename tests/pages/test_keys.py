"""What pages keep in the session: one key, one meaning."""

from collections import defaultdict

from pages.about.address import PARAMETERS as ABOUT
from pages.calculator.address import PARAMETERS as CALCULATOR
from pages.decoder.address import PARAMETERS as MASKS
from pages.decoder.generate_address import GENERATE
from pages.decoder.translate_address import TRANSLATE
from pages.explore.address import PARAMETERS as EXPLORE
from pages.heads.address import PARAMETERS as HEADS
from pages.layers.address import PARAMETERS as LAYERS
from pages.lessons.address import PARAMETERS as LESSONS
from pages.positions.address import PARAMETERS as POSITIONS

PAGES = (EXPLORE, LAYERS, HEADS, MASKS, TRANSLATE, GENERATE, CALCULATOR, POSITIONS, LESSONS, ABOUT)


def test_a_key_that_several_pages_keep_is_read_alike_by_all() -> None:
    """Or one page would find under it what only another can show."""
    readers = defaultdict(set)
    for parameters in PAGES:
        for name, parameter in parameters.items():
            readers[parameter.key or name].add(parameter.parse)
    assert [key for key, found in readers.items() if len(found) > 1] == []
