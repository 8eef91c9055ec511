"""Labels of tokens are distinct and contain the token's text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from viz import distinct, literal, shortened

# Few pieces, so that they repeat, including pieces that look numbered.
pieces = st.sampled_from(["the", "the₁", "the₂", "the₁′", "a", "a₁₁", "", "##s", "1", "₁"])
tokens = st.lists(pieces | st.text(max_size=3), max_size=30)


@given(tokens)
@example(["the", "the", "the₁", "the₁′"])
def test_labels_are_distinct_and_there_is_one_for_each_token(tokens):
    labels = distinct(tokens)
    assert len(labels) == len(tokens) == len(set(labels))


@given(tokens)
def test_a_label_has_its_token_as_prefix(tokens):
    assert all(label.startswith(t) for label, t in zip(distinct(tokens), tokens, strict=True))


@given(st.lists(st.text(), unique=True))
def test_tokens_that_do_not_repeat_keep_their_names(tokens):
    assert distinct(tokens) == tokens


def test_repeated_tokens_are_numbered_from_one_in_order():
    assert distinct(["the", "cat", "the"]) == ["the₁", "cat", "the₂"]
    assert distinct(["a"] * 12)[9:] == ["a₁₀", "a₁₁", "a₁₂"]


@pytest.mark.parametrize(
    ("text", "escaped"), [("<b>", "&lt;b&gt;"), ("&amp;", "&amp;amp;"), ('"', '"')]
)
def test_literal_escapes_markup_of_plotly(text, escaped):
    assert literal(text) == escaped


@given(st.text(), st.integers(2, 80))
def test_a_shortened_sentence_fits_and_ends_in_an_ellipsis(text, limit):
    short = shortened(text, limit)
    assert len(short) <= limit
    assert short == text if len(text) <= limit else short.endswith("…")
