from hypothesis import example, given
from hypothesis import strategies as st

from viz import distinct, shortened
from viz.style.labels import literal

# Few pieces, so that they repeat, including pieces that look numbered.
pieces = st.sampled_from(["the", "the₁", "the₂", "the₁′", "a", "a₁₁", "", "##s", "1", "₁"])
tokens = st.lists(pieces | st.text(max_size=3), max_size=30)


@given(tokens)
@example(["the", "the", "the₁", "the₁′"])
def test_labels_are_distinct_and_begin_with_their_tokens(tokens):
    labels = distinct(tokens)
    assert len(labels) == len(set(labels))
    assert all(label.startswith(each) for label, each in zip(labels, tokens, strict=True))
    unique = [*dict.fromkeys(tokens)]
    assert distinct(unique) == unique


def test_repeated_tokens_are_numbered_from_one_in_order():
    assert distinct(["The", "cat", "the"]) == ["The₁", "cat", "the₂"]
    assert distinct(["a"] * 12)[9:] == ["a₁₀", "a₁₁", "a₁₂"]


def test_literal_escapes_markup_of_plotly():
    assert [literal(text) for text in ("<b>", "&amp;", '"')] == ["&lt;b&gt;", "&amp;amp;", '"']


@given(st.text(), st.integers(2, 80))
def test_a_shortened_sentence_fits_and_ends_in_an_ellipsis(text, limit):
    short = shortened(text, limit)
    assert len(short) <= limit
    assert short == text if len(text) <= limit else short.endswith("…")
