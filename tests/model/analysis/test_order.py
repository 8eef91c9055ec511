"""Reordered words, with positions on, off and in between."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import HeadlightError, load_model
from model.analysis.order import reorder, typed_words

TEXT = "Playing tennis, she unbelievably outplayed him."


@given(data=st.data())
@settings(max_examples=4)
def test_without_positions_reordered_words_give_reordered_rows(scratch, scratch_minilm, data):
    for model in (scratch, scratch_minilm):
        count = len(typed_words(model.tokenize(TEXT), TEXT))
        order = data.draw(st.permutations(range(count)))
        typed, moved = reorder(model, TEXT, None, 0.0), reorder(model, TEXT, order, 0.0)
        np.testing.assert_allclose(moved.as_typed(moved.hidden), typed.hidden, atol=2e-5)
        back = np.argsort(moved.order)
        heads = moved.capture.weights[:, :, back][:, :, :, back]
        np.testing.assert_allclose(heads, typed.capture.weights, atol=2e-5)
        np.testing.assert_array_equal(moved.weights_as_typed(1, 2), heads[1, 2])


def test_the_typed_order_with_full_positions_is_bit_identical_to_the_model(scratch_minilm):
    run = reorder(scratch_minilm, TEXT)
    np.testing.assert_array_equal(run.hidden, scratch_minilm.hidden_states(TEXT).numpy())
    np.testing.assert_array_equal(run.capture.weights, scratch_minilm.attend(TEXT).weights)
    assert run.order == tuple(range(len(run.capture.tokens)))
    weaker = [reorder(scratch_minilm, TEXT, None, times) for times in (0.9, 0.5, 0.0)]
    off = [np.abs(each.capture.weights - run.capture.weights).mean() for each in weaker]
    assert off[0] > 0 and off == sorted(off)  # weaker positions change attention gradually


def test_pieces_of_a_word_stay_together_and_special_tokens_stay_in_place(scratch):
    text = "unbelievably good"
    moved = reorder(scratch, text, [1, 0])
    typed = scratch.tokenize(text).pieces
    assert len(typed) > 4  # the first word is in pieces
    assert moved.capture.tokens == ("[CLS]", "good", *typed[1:-2], "[SEP]")
    assert moved.as_typed(np.array(moved.capture.tokens)).tolist() == list(typed)


def test_invalid_requests_are_refused_in_words(scratch):
    for order in ([0, 0], [0], [1, 2]):
        with pytest.raises(HeadlightError, match="each of the 2 words"):
            reorder(scratch, "two words", order)
    with pytest.raises(HeadlightError, match=r"only in our own encoder\. minilm is another"):
        reorder(load_model("minilm"), TEXT, None, 0.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The animal didn't cross.", ["The", "animal", "didn't", "cross."]),
        ("(so-called)  \t“it's” \n e.g. $5.50", ["(so-called)", "“it's”", "e.g.", "$5.50"]),
        ("a\u00a0b", ["a", "b"]),  # a non-breaking space
        ("动物没有过马路", list("动物没有过马路")),  # without spaces, each character is a word
        ("猫，ok", ["猫", "，", "ok"]),
        (" - ", ["-"]),
    ],
)
def test_words_are_separated_by_spaces(scratch, text, words):
    assert typed_words(scratch.tokenize(text), text) == words
