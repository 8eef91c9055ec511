"""The texts with which pages open."""

from pages.urls import BY_PATH, DECODER_PARTS
from web.view_state.initial_texts import INITIAL_TEXTS

TYPED = ("text", "pair", "system")


def test_the_text_that_a_page_always_writes_into_its_address_is_an_initial_text():
    pages = [*BY_PATH.values(), *DECODER_PARTS.values()]
    written = [page[name] for page in pages for name in TYPED if name in page and page[name].always]
    assert len({parameter.default for parameter in written}) == 3
    assert {parameter.default for parameter in written} <= {*INITIAL_TEXTS}
