"""Valid and right answers of each kind of question; join codes and tokens."""

import hashlib
import math

import pytest

from web.rooms.store.errors import RoomError
from web.rooms.store.question_kinds import (
    answer_name,
    distance,
    is_right,
    tally_of,
    validate_answer,
)
from web.rooms.store.tokens import hash_token, new_join_code, new_token, parse_join_code

ITEMS = {
    "token": {"tokens": ["a", "b", "c"]},
    "sketch": {"tokens": ["a", "b", "c"]},
    "head": {"layers": 2, "heads": 3, "tokens": ["a"]},
    "layer": {"layers": 2, "tokens": ["a"] * 9},
    "number": {},
    "choice": {"options": ["a", "b", "c", "d"]},
    "sentence": {"model": "minilm", "layer": 2},
    "measure": {"model": "minilm", "layer": 2, "measure": "entropy"},
    "mask": {"tokens": ["a", "b"]},
    "alignment": {"tokens": ["x", "y", "z"], "targets": ["u", "v"]},
}
SENTENCE = {"text": "🐦 sang; it flew.", "query": [8, 10], "key": [2, 6], "weight": 0.25}


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("token", 0),
        ("token", 2),
        ("sketch", [0.25, 0.0, 0.75]),
        ("head", [1, 2]),
        ("layer", 1),
        ("number", -0.25),
        ("number", 3),
        ("choice", 3),
        ("sentence", {**SENTENCE, "linked": True}),
        ("mask", ["10", "11"]),
        ("alignment", [2, 0]),
    ],
)
def test_a_valid_answer_is_unchanged(kind: str, answer: object) -> None:
    assert validate_answer(kind, ITEMS[kind], answer) == answer


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("token", 3),
        ("token", -1),
        ("token", True),
        ("token", 1.0),
        ("token", "1"),
        ("token", None),
        ("token", [1]),
        ("sketch", [1, 0]),
        ("sketch", [0, 0, 0]),
        ("sketch", [2, -1, 0]),
        ("sketch", [1, 0, True]),
        ("sketch", [1, 0, "0"]),
        ("sketch", [1e308, 1e308, 1e308]),
        ("sketch", 1),
        ("head", [2, 0]),
        ("head", [0, 3]),
        ("head", [0]),
        ("head", [0, 0, 0]),
        ("head", {"0": 0, "1": 0}),
        ("head", 0),
        ("layer", 2),
        ("number", "1"),
        ("number", True),
        ("number", math.inf),
        ("number", math.nan),
        ("number", 10**400),
        ("choice", 4),
        ("mask", ["10"]),
        ("mask", ["10", "111"]),
        ("mask", ["10", "1x"]),
        ("mask", ["10", 11]),
        ("mask", "1011"),
        ("alignment", [0]),
        ("alignment", [0, 3]),
        ("alignment", [0, -1]),
        ("alignment", [0, True]),
        ("alignment", {"0": 0, "1": 0}),
        ("sentence", "🐦 sang"),
        ("sentence", SENTENCE),
        ("sentence", {**SENTENCE, "linked": 1}),
        ("sentence", {**SENTENCE, "linked": True, "weight": math.nan}),
        ("sentence", {**SENTENCE, "linked": True, "text": "a" * 201}),
        ("sentence", {**SENTENCE, "linked": True, "text": None}),
        ("sentence", {**SENTENCE, "linked": True, "query": [7, 8]}),  # a space
        ("sentence", {**SENTENCE, "linked": True, "query": [10, 8]}),
        ("sentence", {**SENTENCE, "linked": True, "query": [10, 17]}),  # the end is 16
        ("sentence", {**SENTENCE, "linked": True, "query": [5, 9]}),  # overlaps the key
        ("sentence", {**SENTENCE, "linked": True, "query": [2]}),
        ("measure", {"text": "It flew."}),
        ("measure", {"text": " ", "value": 1.5}),
        ("measure", {"text": "It flew.", "value": math.inf}),
        ("measure", 1.5),
    ],
)
def test_an_invalid_answer_is_refused(kind: str, answer: object) -> None:
    with pytest.raises(RoomError) as found:
        validate_answer("sentence" if kind == "measure" else kind, ITEMS[kind], answer)
    assert found.value.reason == "bad"


def test_a_sketch_is_scaled_to_sum_to_1_and_counted_as_a_mean() -> None:
    assert validate_answer("sketch", ITEMS["sketch"], [30, 10, 0]) == [0.75, 0.25, 0]
    assert is_right("sketch", {"right": []}, [1, 0, 0]) is None
    sketches = [[0.75, 0.25, 0], [0.25, 0.25, 0.5], [0.2, 0.1, 0.7]]
    assert tally_of("sketch", sketches) == [[[0.4, 0.2, 0.4], 3]]
    assert tally_of("sketch", []) == []
    assert answer_name("sketch", ITEMS["sketch"], sketches[0]) == "0.750 0.250 0.000"


def test_masks_have_a_mean_and_a_number_of_wrong_cells() -> None:
    truth, masks = {"right": [["10", "11"]]}, [["10", "11"], ["11", "01"], ["11", "11"]]
    assert [is_right("mask", truth, each) for each in masks] == [True, False, False]
    assert [distance("mask", truth, each) for each in masks] == [0, 2, 1]
    assert tally_of("mask", masks) == [[[[1, 0.6667], [0.6667, 1]], 3]]
    assert tally_of("mask", []) == []
    assert answer_name("mask", ITEMS["mask"], masks[1]) == "11 01"


def test_alignments_count_pairs_and_wrong_source_tokens() -> None:
    truth, answers = {"right": [[2, 0]], "weights": []}, [[2, 0], [1, 0]]
    assert [is_right("alignment", truth, each) for each in answers] == [True, False]
    assert [distance("alignment", truth, each) for each in answers] == [0, 1]
    assert tally_of("alignment", answers) == [[[0, 1], 1], [[0, 2], 1], [[1, 0], 2]]
    assert answer_name("alignment", ITEMS["alignment"], [2, 0]) == "u → z v → x"


def test_only_sketches_have_a_distance() -> None:
    assert distance("sketch", {"weights": [0.5, 0.5, 0]}, [0.25, 0.25, 0.5]) == 0.5
    assert distance("token", {"right": [1]}, 0) is None


def test_sentences_are_counted_by_weight_and_link_and_none_is_right() -> None:
    linked = {**SENTENCE, "linked": True}
    other = {**SENTENCE, "text": "The cat sat.", "query": [4, 7], "key": [8, 11], "linked": False}
    assert tally_of("sentence", [linked, other, linked]) == [[[0.25, False], 1], [[0.25, True], 2]]
    assert is_right("sentence", {"right": []}, linked) is None
    assert answer_name("sentence", {}, linked) == "🐦 sang; it flew. | it → sang | 0.2500 (largest)"
    assert answer_name("sentence", {}, other) == "The cat sat. | cat → sat | 0.2500"


def test_the_value_of_a_measure_needs_no_selected_words_and_is_never_right() -> None:
    items = ITEMS["measure"]
    low = {"text": "It flew.", "value": 0.5}
    high = {"text": "🐦 sang.", "value": 2.125}
    assert validate_answer("sentence", items, {**low, "query": None, "linked": True}) == low
    counted = [[[0.5, None], 1], [[2.125, None], 2]]
    assert tally_of("sentence", [high, low, high]) == counted
    truth = {"right": [], "reference": {"text": "a", "value": 0.5}}
    assert is_right("sentence", truth, low) is None
    assert distance("sentence", truth, low) is None
    assert answer_name("sentence", items, high) == "🐦 sang. | entropy 2.1250"


def test_equal_answers_are_counted() -> None:
    assert tally_of("head", [[1, 2], [0, 1], [1, 2]]) == [[[0, 1], 1], [[1, 2], 2]]


def test_is_right_compares_an_answer_with_the_truth() -> None:
    assert is_right("token", {"right": [1, 2]}, 2) is True
    assert is_right("head", {"right": [[1, 2]]}, [2, 1]) is False
    assert is_right("choice", {"right": []}, 0) is None
    close = {"value": 0.5, "tolerance": 0.25}
    assert is_right("number", close, 0.75) is True
    assert is_right("number", close, 0.2) is False


def test_a_join_code_has_eight_digits_and_ignores_separators() -> None:
    codes = {new_join_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code) == 8 and code.isascii() and code.isdigit() for code in codes)
    assert parse_join_code(" 1234 - 56\u00a078 ") == "12345678"


def test_a_token_is_random_and_hashed_with_sha256() -> None:
    assert len(new_token()) == 32 != len(new_token() + new_token())
    assert hash_token("a") == hashlib.sha256(b"a").digest()
