"""Valid and right answers of each kind of question; join codes and tokens."""

import hashlib
import math

import pytest

from rooms.store.errors import RoomError
from rooms.store.question_kinds import is_right, tally_of, validate_answer
from rooms.store.tokens import hash_token, new_join_code, new_token, parse_join_code

ITEMS = {
    "token": {"tokens": ["a", "b", "c"]},
    "head": {"layers": 2, "heads": 3, "tokens": ["a"]},
    "number": {},
    "choice": {"options": ["a", "b", "c", "d"]},
}
VALID = {"token": (0, 2), "head": ([1, 2],), "number": (-0.25, 3), "choice": (3,)}
INVALID = {
    "token": (3, -1, True, 1.0, "1", None, [1]),
    "head": ([2, 0], [0, 3], [0], [0, 0, 0], {"0": 0, "1": 0}, 0),
    "number": ("1", True, math.inf, math.nan, 10**400),
    "choice": (4,),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_a_valid_answer_is_unchanged_and_another_is_refused(kind: str) -> None:
    for answer in VALID[kind]:
        assert validate_answer(kind, ITEMS[kind], answer) == answer
    for answer in INVALID[kind]:
        with pytest.raises(RoomError, match="bad"):
            validate_answer(kind, ITEMS[kind], answer)


def test_answers_are_counted_and_compared_with_the_truth() -> None:
    assert tally_of([[1, 2], [0, 1], [1, 2]]) == [[[0, 1], 1], [[1, 2], 2]]
    assert is_right("token", {"right": [1, 2]}, 2) is True
    assert is_right("head", {"right": [[1, 2]]}, [2, 1]) is False
    assert is_right("choice", {"right": []}, 0) is None
    close = {"value": 0.5, "tolerance": 0.25}
    assert is_right("number", close, 0.75) is True
    assert is_right("number", close, 0.2) is False


def test_codes_have_eight_digits_and_tokens_are_random_and_hashed_with_sha256() -> None:
    codes = {new_join_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code) == 8 and code.isascii() and code.isdigit() for code in codes)
    assert parse_join_code(" 1234 - 56\u00a078 ") == "12345678"
    assert len(new_token()) == 32 and new_token() != new_token()
    assert hash_token("a") == hashlib.sha256(b"a").digest()
