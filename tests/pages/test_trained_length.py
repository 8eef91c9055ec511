"""A text longer than our encoder learned from is said to be, wherever its heads are shown."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.parameters import DEFAULT_TEXT
from tests.pages.conftest import first_visit
from tests.pages.test_explore import open_page, words_on

LONG = "one two " * 40  # 82 tokens with [CLS] and [SEP]
FITS = "one two " * 31  # 64
SAID = "Longer than what scratch learned from"


def visit(page: str, **wanted: str) -> AppTest:
    if page == "explore":
        return open_page(**wanted)
    opened = first_visit(page)
    for name, value in wanted.items():
        opened.query_params[name] = value
    return opened.run()


@pytest.mark.parametrize("page", ["explore", "layers", "heads"])
def test_a_longer_text_is_said_to_be_longer(page: str) -> None:
    opened = visit(page, text=LONG)
    assert not opened.exception
    assert words_on(opened).count(SAID) == 1
    assert "up to 64 tokens, and this one has 82" in words_on(opened)


def test_a_checkpoint_on_either_side_was_trained_alike() -> None:
    assert SAID in words_on(open_page(text=LONG, left="minilm", right="scratch@400"))


@pytest.mark.parametrize(
    ("text", "left"),
    [(DEFAULT_TEXT, "scratch"), (FITS, "scratch"), (LONG, "scratch-minilm"), (LONG, "minilm")],
)
def test_nothing_is_said_of_short_texts_and_of_others_models(text: str, left: str) -> None:
    assert SAID not in words_on(open_page(text=text, left=left))
