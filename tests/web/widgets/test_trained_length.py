"""Pages with heads of our encoder show a notice if the text is longer than its training texts."""

import pytest

from tests.pages.conftest import first_visit
from tests.pages.test_explore import open_page, words_on

LONG = "one two " * 40  # 82 tokens with [CLS] and [SEP]
FITS = "one two " * 31  # 64
NOTICE = "Longer than scratch's training texts"


@pytest.mark.parametrize("page", ["", "layers", "heads"])
def test_a_text_longer_than_the_training_texts_gives_a_notice(page: str) -> None:
    opened = first_visit(page)
    opened.query_params["text"] = LONG
    opened.run()
    assert not opened.exception
    assert words_on(opened).count(NOTICE) == 1
    assert "up to 64 tokens; this one has 82" in words_on(opened)


@pytest.mark.parametrize(
    ("text", "left", "right", "noticed"),
    [
        (LONG, "minilm", "scratch@400", True),
        (FITS, "scratch", "minilm", False),
        (LONG, "scratch-minilm", "minilm", False),
    ],
)
def test_only_our_encoder_and_its_checkpoints_give_the_notice(
    text: str, left: str, right: str, noticed: bool
) -> None:
    assert (NOTICE in words_on(open_page(text=text, left=left, right=right))) is noticed
