"""Valid and right answers of each kind of question."""

import math

import numpy as np
import pytest

from model.questions import Question, is_near, largest, truth_of

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
    "number": ("x", "4,994", "", True, math.inf, math.nan),
    "choice": (4,),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_a_valid_answer_is_unchanged_and_another_is_refused(kind: str) -> None:
    question = Question(kind, ITEMS[kind], {})
    for answer in VALID[kind]:
        assert question.check(answer) == answer
    assert Question("number", {}, {}).check("0,65") == 0.65
    for answer in INVALID[kind]:
        with pytest.raises(ValueError, match="not a"):
            question.check(answer)


def test_answers_are_compared_with_the_truth() -> None:
    def right(kind: str, truth: dict, answer: object) -> bool | None:
        return Question(kind, ITEMS[kind], truth).is_right(answer)

    assert right("token", {"right": [1, 2]}, 2) is True
    assert right("head", {"right": [[1, 2]]}, [2, 1]) is False
    assert right("choice", {"right": []}, 0) is None
    close = {"value": 0.6, "tolerance": 0.02}
    assert [right("number", close, each) for each in (0.58, 0.57)] == [True, False]
    assert is_near(2, [1, 3], 1) and not is_near(math.nan, [1], 1) and not is_near(1, [math.nan], 1)


def test_the_largest_weight_and_its_near_ties_are_right() -> None:
    assert largest(np.float32([0.3, 0.31, 0.2999, 0.05])) == [1, 0]
    assert largest(np.float32([[0, 0.004], [0.009, 0]])) == [[1, 0], [0, 1]]  # not a masked one
    assert truth_of(np.float32([0.1, 0.8])) == {"weights": [0.1, 0.8], "right": [1]}
