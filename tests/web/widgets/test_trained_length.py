"""Pages with heads of our encoder show a notice if the text is longer than its training texts."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import first_visit
from tests.pages.test_explore import open_page, words_on
from web.view_state.parameters import DEFAULT_TEXT

LONG = "one two " * 40  # 82 tokens with [CLS] and [SEP]
FITS = "one two " * 31  # 64
NOTICE = "Longer than scratch's training texts"


def visit(page: str, **address: str) -> AppTest:
    if page == "explore":
        return open_page(**address)
    opened = first_visit(page)
    for name, value in address.items():
        opened.query_params[name] = value
    return opened.run()


@pytest.mark.parametrize("page", ["explore", "layers", "heads"])
def test_a_longer_text_gives_a_notice(page: str) -> None:
    opened = visit(page, text=LONG)
    assert not opened.exception
    assert words_on(opened).count(NOTICE) == 1
    assert "up to 64 tokens; this one has 82" in words_on(opened)


def test_a_checkpoint_on_either_side_gives_the_notice() -> None:
    assert NOTICE in words_on(open_page(text=LONG, left="minilm", right="scratch@400"))


@pytest.mark.parametrize(
    ("text", "left"),
    [(DEFAULT_TEXT, "scratch"), (FITS, "scratch"), (LONG, "scratch-minilm"), (LONG, "minilm")],
)
def test_short_texts_and_other_models_give_no_notice(text: str, left: str) -> None:
    assert NOTICE not in words_on(open_page(text=text, left=left))
