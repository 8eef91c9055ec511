"""Pages with heads of our encoder show a notice if the text is longer than its training texts."""

import pytest

from tests.pages.test_explore import words_on
from tests.pages.visit import Visit

LONG = "one two " * 40  # 82 tokens with [CLS] and [SEP]
FITS = "one two " * 31  # 64


@pytest.mark.parametrize(
    ("page", "left", "right", "text", "noticed"),
    [
        ("", "minilm", "scratch@400", LONG, True),
        ("", "scratch", "minilm", FITS, False),
        ("heads", "scratch-minilm", "minilm", LONG, False),
    ],
)
def test_a_text_longer_than_the_training_texts_of_our_encoder_gives_a_notice(
    page: str, left: str, right: str, text: str, noticed: bool
) -> None:
    opened = Visit(page)
    opened.query_params.update(left=left, right=right, text=text)
    opened.run()
    assert not opened.exception
    words = words_on(opened)
    assert words.count("Longer than scratch's training texts") == noticed
    assert ("up to 64 tokens; this one has 82" in words) is noticed
