"""Which answers are right."""

import numpy as np

from model.questions import largest


def test_the_largest_weight_and_its_near_ties_are_right() -> None:
    assert largest(np.float32([0.3, 0.31, 0.2999, 0.05])) == [1, 0]
    assert largest(np.float32([[0, 0.004], [0.009, 0]])) == [[1, 0], [0, 1]]  # not a masked one
