"""Search of the head that links X to Y: by hand, and known heads of MiniLM."""

import numpy as np
import pytest

from model.analysis.links import link_weights, ranked, uniform_link
from model.analysis.units import Unit
from tests.model.conftest import ANIMAL


def test_weights_are_summed_over_keys_and_averaged_over_queries():
    weights = np.zeros((2, 3, 4, 4))
    weights[1, 2, 0] = [0.1, 0.2, 0.3, 0.4]
    weights[1, 2, 3] = [0.5, 0.1, 0.1, 0.3]
    found = link_weights(weights, [0, 3], [1, 3])
    assert found[1, 2] == pytest.approx((0.6 + 0.4) / 2)
    assert found.sum() == pytest.approx(found[1, 2])  # all other heads have no weight
    values = np.array([[0.1, 0.5], [0.9, 0.5], [0.2, 0.0]])
    assert ranked(values) == [(1, 0), (0, 1), (1, 1), (2, 0), (0, 0), (2, 1)]


def test_it_is_linked_to_animal_by_two_heads_of_minilm(minilm):
    capture = minilm.attend(ANIMAL)
    it, animal = capture.tokens.index("it"), capture.tokens.index("animal")
    found = link_weights(capture.weights, [it], [animal])
    assert ranked(found)[:2] == [(3, 1), (5, 11)]
    assert found[3, 1] == pytest.approx(0.677, abs=5e-4)
    assert found[5, 11] == pytest.approx(0.673, abs=5e-4)


def pieces(*positions: tuple[int, ...]) -> list[Unit]:
    return [Unit("word", places, 0, (0, 0), False) for places in positions]


def test_the_uniform_weight_counts_pieces_and_excludes_hidden_tokens():
    shown = pieces((0,), (1, 2), (3,), (4,))
    assert uniform_link(5, shown, [0], [1]) == pytest.approx(2 / 5)
    assert uniform_link(5, shown, [0, 1], [0, 1, 2]) == pytest.approx(4 / 5)
    shown = pieces((1,), (2,), (3,))  # the first and the last of five tokens are hidden
    assert uniform_link(5, shown, [0], [2]) == pytest.approx(1 / 5)
    assert uniform_link(5, shown, [0], [2], renormalise=True) == pytest.approx(1 / 3)


def test_the_uniform_weight_in_a_decoder_depends_on_the_visible_keys():
    shown = pieces((0,), (1,), (2,), (3,))
    allowed = np.tril(np.ones((4, 4), bool))
    assert uniform_link(4, shown, [2], [0, 1], allowed=allowed) == pytest.approx(2 / 3)
    assert uniform_link(4, shown, [1, 3], [1], allowed=allowed) == pytest.approx(
        (1 / 2 + 1 / 4) / 2
    )
    assert uniform_link(4, shown, [1], [2, 3], allowed=allowed) == 0
    window = allowed & ~np.tril(np.ones((4, 4), bool), k=-2)
    assert uniform_link(4, shown, [3], [2], allowed=window) == pytest.approx(1 / 2)
    assert uniform_link(4, shown, [3], [0], allowed=window) == 0
