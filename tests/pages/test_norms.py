"""The mode "Norms" of the Calculator in AppTest."""

import numpy as np
from streamlit.testing.v1 import AppTest

from model.calculator.norms import batch_norm, layer_norm, read
from tests.pages.conftest import first_visit
from tests.pages.test_explore import address, words_on
from tests.pages.test_positions import z


def norms(**address: str) -> AppTest:
    page = first_visit("calculator")
    for name, value in {"mode": "norms", **address}.items():
        page.query_params[name] = value
    return page.run()


def test_both_norms_are_drawn_with_the_arithmetic_of_the_cell() -> None:
    page = norms()
    assert not page.exception
    x = read([page.session_state["norm_a"], page.session_state["norm_b"]])
    for index, norm in enumerate((layer_norm, batch_norm)):
        expected = norm(x).output.flatten(0, 1).numpy()
        np.testing.assert_allclose(z(page, index), expected, rtol=1e-6)
    by_token, by_feature = (latex.value for latex in page.latex[1:])
    assert r"\tfrac{1}{4} \big(3 + (-1) + 2 + 0\big)" in by_token
    assert r"&= 2.5000 \\" in by_token and r"\mathbf{0.6325}" in by_token
    assert r"\tfrac{1}{6} \big(0 + 2 + 4 + 1" in by_feature
    assert r"\mathbf{-0.0760}" in by_feature
    assert "by up to **0.2186**" in words_on(page)


def test_cell_and_padding_are_read_from_and_written_to_the_link() -> None:
    page = norms(sentence="1", row="0", feature="3", padded="0")
    assert r"\mathbf{1.7150}" in page.latex[1].value  # (8 - 3) / sqrt(8.5)
    assert "There is no padding now" in words_on(page)
    page.selectbox(key="norm_padded").set_value(2).run()
    assert "With 2 padding tokens" in words_on(page)
    assert address(page)["padded"] == "2"


def test_a_cell_beyond_the_batch_becomes_the_last() -> None:
    page = norms(sentence_a="1,2;3,4", sentence_b="5,6;7,9", row="7", feature="5")
    assert not page.exception
    assert r"\tfrac{1}{2} \big(3 + 4\big)" in page.latex[1].value


def test_sentences_of_different_sizes_are_an_error() -> None:
    page = norms(sentence_a="1,2;3,4", sentence_b="5,6")
    assert not page.exception
    assert "sentences of a batch need the same size" in words_on(page)


def test_invalid_text_is_an_error_at_its_grid_and_is_kept() -> None:
    page = norms(sentence_a="1,x;3,4", sentence_b="5,6;7,8")
    assert not page.exception
    assert page.session_state["norm_a"] == [["1", "x"], ["3", "4"]]
    assert len(page.latex) == 1
