"""Session state keys have the same meaning on all pages."""

from collections import defaultdict

from pages.about.url import PARAMETERS as ABOUT
from pages.calculator.url import PARAMETERS as CALCULATOR
from pages.decoder.url import GENERATE, MASKS, TRANSLATE
from pages.explore.url import PARAMETERS as EXPLORE
from pages.heads.url import PARAMETERS as HEADS
from pages.layers.url import PARAMETERS as LAYERS
from pages.positions.url import PARAMETERS as POSITIONS

PAGES = (EXPLORE, LAYERS, HEADS, MASKS, TRANSLATE, GENERATE, CALCULATOR, POSITIONS, ABOUT)


def test_pages_that_share_a_key_parse_it_with_the_same_function() -> None:
    """Otherwise a page could find a value that only another page can show."""
    readers = defaultdict(set)
    for parameters in PAGES:
        for name, parameter in parameters.items():
            readers[parameter.key or name].add(parameter.parse)
    assert [key for key, found in readers.items() if len(found) > 1] == []
