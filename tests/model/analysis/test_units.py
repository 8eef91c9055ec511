"""Merged words, hidden special tokens, and the same text in two tokenisations."""

from types import SimpleNamespace

import numpy as np

from model.analysis.units import (
    Unit,
    counterparts,
    unit_allowed,
    unit_weights,
    units,
)

# [CLS] un ##able [SEP]
BY_HAND = np.array(
    [
        [0.10, 0.20, 0.30, 0.40],
        [0.50, 0.25, 0.125, 0.125],
        [0.30, 0.05, 0.15, 0.50],
        [0.70, 0.00, 0.10, 0.20],
    ],
    dtype=np.float32,
)


def sentence(words, pieces, text, segments, offsets, text_pair=None) -> SimpleNamespace:
    """The part of a capture that units need."""
    return SimpleNamespace(
        tokens=tuple(pieces),
        word_ids=tuple(words),
        text=text,
        text_pair=text_pair,
        segment_ids=segments,
        offsets=offsets,
        special=np.array([word is None for word in words]),
    )


def unable() -> SimpleNamespace:
    pieces, offsets = ["[CLS]", "un", "##able", "[SEP]"], [(0, 0), (0, 2), (2, 6), (0, 0)]
    return sentence([None, 0, 0, None], pieces, "unable", [0] * 4, offsets)


def test_word_weights_sum_over_key_pieces_and_average_over_query_pieces():
    shown = units(unable(), merge_words=True)
    assert [unit.label for unit in shown] == ["[CLS]", "unable", "[SEP]"]
    assert [unit.positions for unit in shown] == [(0,), (1, 2), (3,)]
    merged = unit_weights(BY_HAND, shown)
    by_hand = [
        [0.1, 0.2 + 0.3, 0.4],
        [(0.5 + 0.3) / 2, ((0.25 + 0.125) + (0.05 + 0.15)) / 2, (0.125 + 0.5) / 2],
        [0.7, 0.0 + 0.1, 0.2],
    ]
    np.testing.assert_allclose(merged, by_hand, rtol=1e-6)
    np.testing.assert_allclose(merged.sum(axis=-1), 1, rtol=1e-6)


def test_rows_without_special_tokens_are_shorter_or_renormalised():
    shown = units(unable(), hide_special=True)
    np.testing.assert_array_equal(unit_weights(BY_HAND, shown), BY_HAND[1:3, 1:3])
    renormalised = unit_weights(BY_HAND, shown, renormalise=True)
    np.testing.assert_allclose(renormalised, [[2 / 3, 1 / 3], [0.25, 0.75]], rtol=1e-6)
    hidden = BY_HAND.copy()
    hidden[1] = [0.5, 0.0, 0.0, 0.5]  # a row with hidden keys only stays zero
    with np.errstate(all="raise"):
        heads = unit_weights(np.stack([BY_HAND, hidden])[None], shown, renormalise=True)
    np.testing.assert_allclose(heads[0, 0], renormalised)
    np.testing.assert_allclose(heads[0, 1], [[0, 0], [0.25, 0.75]], rtol=1e-6)


def test_a_cell_between_words_is_hidden_if_all_cells_of_its_pieces_are():
    causal = np.tril(np.ones((4, 4), dtype=bool))
    words = units(unable(), merge_words=True)  # [CLS], the word of two pieces, [SEP]
    (by_word,) = unit_allowed([causal, causal], words)
    np.testing.assert_array_equal(by_word, np.tril(np.ones((3, 3), dtype=bool)))
    shown = units(unable(), hide_special=True)
    np.testing.assert_array_equal(unit_allowed([causal], shown)[0], [[1, 0], [1, 1]])
    near = causal & ~np.tril(causal, k=-2)  # a sliding window of two tokens
    windows = unit_allowed([None, near], words)
    assert windows.shape == (2, 3, 3) and windows[0].all()
    # The word's first piece sees [CLS], and [SEP] sees its last piece.
    np.testing.assert_array_equal(windows[1], [[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    assert unit_allowed([None, None], words) is None
    assert unit_allowed([causal], shown[:1]) is None  # the mask hides no token from itself


def test_unknown_tokens_show_their_source_text(minilm, families):
    shown = units(minilm.attend("漢 字 [UNK]", "a 🙂"))
    labels = ["[CLS]", "漢", "[UNK] 字", "[UNK]", "[SEP]", "a", "[UNK] 🙂", "[SEP]"]
    assert [unit.label for unit in shown] == labels
    assert [unit.unknown for unit in shown] == ["", "", "字", "", "", "", "🙂", ""]
    capture = families["albert"].attend("cat 漢")  # the piece is the typed text
    assert (capture.tokens[-2], units(capture)[-2].label) == ("<unk>", "<unk> 漢")


def test_words_never_merge_across_sentences(minilm):
    shown = units(minilm.attend("cat", "cat sat"), merge_words=True)
    assert [unit.label for unit in shown] == ["[CLS]", "cat", "[SEP]", "cat", "sat", "[SEP]"]
    # The same without a space between the sentences.
    bare = sentence([0, 0], ["cat", "cat"], "cat", [0, 1], [(0, 3), (0, 3)], text_pair="cat")
    assert [unit.positions for unit in units(bare, merge_words=True)] == [(0,), (1,)]


def special(label: str) -> Unit:
    return Unit(label, (0,), 0, (0, 0), True)


def piece(text: str, start: int, segment: int = 0) -> Unit:
    return Unit(text, (0,), segment, (start, start + len(text)), False)


def test_counterparts_share_characters_and_special_tokens_pair_in_order():
    ours = [special("[CLS]"), piece("animal", 0), piece("was", 7), special("[SEP]")]
    parts = [piece("ani", 0), piece("mal", 3), piece("w", 7), piece("as", 8)]
    theirs = [special("<s>"), *parts, special("</s>")]
    for chosen, found in (([2], (3, 4)), ([0], (0,)), ([3], (5,)), ([1, 3], (1, 2, 5)), ([], ())):
        assert counterparts(chosen, ours, theirs) == found
    # A subword represents its word.
    for chosen, found in (([2], (1,)), ([3, 4], (2,)), ([5], (3,))):
        assert counterparts(chosen, theirs, ours) == found
    # A special token that the other side lacks has no counterpart.
    ours = [special("<s>"), special("</s>"), special("</s>")]
    assert counterparts([2], ours, [special("[CLS]"), special("[SEP]")]) == ()
    # Neighbours and words of the other sentence are none.
    ours = [piece("ab", 0), piece("ab", 0, segment=1)]
    assert counterparts([0], ours, [piece("x", 2), piece("ab", 0, segment=1)]) == ()
    assert counterparts([1], ours, [piece("a", 0), piece("b", 1, segment=1)]) == (1,)
