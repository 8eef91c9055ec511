"""The mode "Norms" of the Calculator in AppTest."""

import numpy as np
from streamlit.testing.v1 import AppTest

from model.calculator.norms import batch_norm, layer_norm, read
from tests.pages.conftest import first_visit
from tests.pages.test_explore import words_on
from tests.pages.test_positions import z


def norms(**address: str) -> AppTest:
    page = first_visit("calculator")
    for name, value in {"mode": "norms", **address}.items():
        page.query_params[name] = value
    return page.run()


def test_both_norms_are_drawn_with_the_arithmetic_of_a_cell() -> None:
    page = norms()
    assert not page.exception
    x = read([page.session_state["norm_a"], page.session_state["norm_b"]])
    for index, norm in enumerate((layer_norm, batch_norm)):
        expected = norm(x).output.flatten(0, 1).numpy()
        np.testing.assert_allclose(z(page, index), expected, rtol=1e-6)
    by_token, by_feature = (latex.value for latex in page.latex)
    assert r"\frac{2 - 1.0000}{\sqrt{2.5000 + 0.00001}} = \mathbf{0.6325}" in by_token
    assert r"\mathbf{-0.0760}" in by_feature


def test_a_smaller_batch_shows_its_last_cell() -> None:
    page = norms(sentence_a="1,2", sentence_b="5,6")
    assert not page.exception
    assert r"\frac{2 - 1.5000}" in page.latex[0].value


def test_sentences_of_different_sizes_are_an_error() -> None:
    page = norms(sentence_a="1,2;3,4", sentence_b="5,6")
    assert not page.exception
    assert "sentences of a batch need the same size" in words_on(page)


def test_invalid_text_is_an_error_at_its_grid_and_is_kept() -> None:
    page = norms(sentence_a="1,x;3,4", sentence_b="5,6;7,8")
    assert not page.exception
    assert page.session_state["norm_a"] == [["1", "x"], ["3", "4"]]
    assert not page.latex
