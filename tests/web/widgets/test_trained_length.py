"""Pages with heads of our encoder show a notice if the text is longer than its training texts."""

import pytest

from tests.pages.figures import words_on
from tests.pages.visit import open_page

CASES = [
    ("", "minilm", "scratch@400", "one two " * 40),  # 82 tokens with [CLS] and [SEP]
    ("", "scratch", "minilm", "one two " * 31),  # 64
    ("heads", "scratch-minilm", "minilm", "one two " * 40),  # not trained by us
]


@pytest.mark.parametrize(("page", "left", "right", "text"), CASES)
def test_a_longer_text_than_those_of_the_training_gives_a_notice(page, left, right, text):
    words = words_on(open_page(page, left=left, right=right, text=text))
    assert ("up to 64 tokens; this one has 82" in words) is (right == "scratch@400")
