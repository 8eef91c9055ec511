"""Alignment of two views: which units have the same text, and where attention differs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import HeadlightError
from model.analysis.align import align, aligned, difference, group_by_text, largest_changes
from model.analysis.units import Unit, units


def view(sentence: str) -> list[Unit]:
    """Units of a sentence with spaces; [CLS], [SEP], <s> and </s> are special."""
    specials = {"[CLS]", "[SEP]", "<s>", "</s>"}
    labels = enumerate(sentence.split())
    return [Unit(label, (i,), 0, (0, 0), label in specials) for i, label in labels]


def cut(text: str, *places: int, special: bool = False) -> list[Unit]:
    """A text cut at some characters; between [CLS] and [SEP] on request."""
    ends = [0, *places, len(text)]
    pieces = [Unit(text[a:b], (), 0, (a, b), special=False) for a, b in pairwise(ends)]
    start, end = (Unit(label, (), 0, (0, 0), special=True) for label in ("[CLS]", "[SEP]"))
    return [start, *pieces, end] if special else pieces


def test_two_tokenisations_are_aligned_word_by_word():
    ours = cut("didn't go", 4, 6)  # didn|'t| go
    theirs = cut("didn't go", 4, 5, 6, special=True)
    found = group_by_text(ours, theirs)
    assert found == (((), (0,)), ((0,), (1,)), ((1,), (2, 3)), ((2,), (4,)), ((), (5,)))
    # Text that one side has cut off comes before the other side's end.
    found = group_by_text(theirs[:2] + theirs[-1:], theirs)
    assert found[2:] == (((), (2,)), ((), (3,)), ((), (4,)), ((2,), (5,)))


def test_words_after_a_typed_control_token_stay_aligned(decoders, minilm):
    """The decoder reads <|turn|> as one token, minilm as its characters."""
    text = "the animal <|turn|> was it"
    ours, theirs = units(minilm.attend(text)), units(decoders["gpt2"].attend(text))
    groups = [
        ("".join(ours[i].label for i in mine), "".join(theirs[j].label for j in others))
        for mine, others in group_by_text(ours, theirs)
    ]
    words = [pair for pair in groups if all(pair)]  # lone spaces and special tokens have no partner
    assert words == [(word, word) for word in text.split()]


places = st.sets(st.integers(1, 11), max_size=11).map(sorted)


@given(ours=places, theirs=places, specials=st.booleans())
def test_every_piece_is_in_one_group_with_the_same_text_on_both_sides(ours, theirs, specials):
    text = "twelve chars"
    sides = cut(text, *ours), cut(text, *theirs, special=specials)
    groups = group_by_text(*sides)
    for side, units_ in enumerate(sides):
        assert [i for group in groups for i in group[side]] == list(range(len(units_)))
    texts = [
        ["".join(units_[i].label for i in group[side] if not units_[i].special) for group in groups]
        for side, units_ in enumerate(sides)
    ]
    assert texts[0] == texts[1]
    # Groups are minimal: a group ends where both sides have a boundary.
    assert len(list(filter(None, texts[0]))) == len({*ours} & {*theirs}) + 1


TIRED = "[CLS] it was too tired . [SEP]"
EACH = tuple((i, i) for i in range(7))


@pytest.mark.parametrize(
    ("ours", "theirs", "pairs", "only_ours", "only_theirs", "substituted"),
    [
        (TIRED, "[CLS] it was too wide . [SEP]", EACH, (), (), ((4, 4),)),
        (  # Pairs of several replaced units would be ambiguous.
            TIRED,
            "[CLS] it was too ti red . [SEP]",
            ((0, 0), (1, 1), (2, 2), (3, 3), (5, 6), (6, 7)),
            (4,),
            (4, 5),
            (),
        ),
        # A special token never corresponds to a word, nor the first one to the last one.
        ("[CLS] it slept [SEP]", "it slept cls", ((1, 0), (2, 1)), (0, 3), (2,), ()),
        ("[CLS] it", "opens it", ((1, 1),), (0,), (0,), ()),
        ("[CLS] it", "it [SEP]", ((1, 0),), (0,), (1,), ()),
        ("▁ ## a", "▁ a", ((0, 0), (2, 1)), (1,), (), ()),  # a mark alone is text
        (  # difflib would treat frequent words in 200 units as noise
            "the cat " * 150,
            "yesterday " + "the cat " * 150,
            tuple((i, i + 1) for i in range(300)),
            (),
            (0,),
            (),
        ),
    ],
)
def test_units_with_the_same_text_or_role_are_paired(
    ours, theirs, pairs, only_ours, only_theirs, substituted
):
    found = align(view(ours), view(theirs))
    assert found.pairs == pairs
    assert (found.only_ours, found.only_theirs) == (only_ours, only_theirs)
    assert found.substituted == substituted


def test_special_tokens_pair_by_role_and_case_and_marks_are_ignored():
    ours = view("[CLS] The un ##able ##! [UNK] [SEP] it [SEP]")
    ours[5] = replace(ours[5], unknown="Ж")  # corresponds by its source text
    found = align(ours, view("<s> ▁the un able ! ж </s> </s> ▁IT </s>"))
    first, second = found.pairs[:6], found.pairs[-2:]
    assert first == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5))
    assert second == ((7, 8), (8, 9))
    assert found.pairs[6] in ((6, 6), (6, 7))  # RoBERTa closes its first sentence with two tokens
    assert found.substituted == found.only_ours == ()
    assert len(found.only_theirs) == 1


def test_sentences_without_a_common_word_are_an_error_in_words():
    with pytest.raises(HeadlightError, match="no word in common"):
        align(view("[CLS] cats sleep [SEP]"), view("[CLS] it rained all day [SEP]"))


WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_each_unit_is_paired_or_left_over_and_pairs_never_cross(ours, theirs):
    ours, theirs = view("[CLS] z " + " ".join(ours)), view("<s> z " + " ".join(theirs))
    found = align(ours, theirs)
    i, j = zip(*found.pairs, strict=True)
    assert list(i) == sorted(set(i))
    assert list(j) == sorted(set(j))
    assert sorted(i + found.only_ours) == list(range(len(ours)))
    assert sorted(j + found.only_theirs) == list(range(len(theirs)))
    for a, b in found.pairs:
        same = ours[a].label == theirs[b].label or ours[a].special
        assert same == ((a, b) not in found.substituted)


OURS = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.0, 0.5, 0.5]])
THEIRS = np.array([[0.6, 0.4], [0.9, 0.1]])


def test_the_difference_is_theirs_minus_ours_on_the_pairs():
    # Our units 0 and 2 correspond to their units 0 and 1.
    by_hand = [[0.6 - 0.7, 0.4 - 0.1], [0.9 - 0.0, 0.1 - 0.5]]
    heads = np.stack([OURS, OURS.T])[None], np.stack([THEIRS, THEIRS.T])[None]
    found = difference(*heads, [(0, 0), (2, 1)])
    np.testing.assert_allclose(found, [[by_hand, np.transpose(by_hand)]])
    ours, theirs = aligned(OURS, THEIRS, [(0, 1), (2, 0)])  # both sides in the same order
    np.testing.assert_array_equal(ours, [[0.7, 0.1], [0.0, 0.5]])
    np.testing.assert_array_equal(theirs, [[0.1, 0.9], [0.4, 0.6]])


def test_changes_are_sorted_by_absolute_value():
    changed = np.array([[0.1, -0.3, 0.0], [0.25, 0.0, -0.05]])
    assert largest_changes(changed, 3) == [(0, 1, -0.3), (1, 0, 0.25), (0, 0, 0.1)]
    assert len(largest_changes(changed, 99)) == 4  # equal weights are not changes
    assert largest_changes(changed, 0) == []
