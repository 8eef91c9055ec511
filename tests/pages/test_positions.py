"""The Positions page in AppTest."""

import re
from functools import partial
from urllib.parse import parse_qsl

import numpy as np
import pytest
from safetensors.torch import load_file

from model.catalogue.pretrained.hub import embedded_folder
from tests.pages import visit
from tests.pages.figures import array, payloads, specs, words_on, z
from tests.pages.visit import Visit
from web.cache import captures

FIVE = "the dog chased a cat"

open_page = partial(visit.open_page, "positions")


def test_curves_and_wavelengths_equal_the_papers_formula() -> None:
    page = open_page(length="50", d_model="64", base="100", dims="0.1.9.40", wave="5")
    dims = [0, 1, 9, 40]
    curves = specs(page)[1]["data"]
    drawn = np.stack([array(curve["y"]) for curve in curves], axis=1)  # (L, dims)
    position, dimension = np.ix_(np.arange(50.0), np.array(dims))  # (L, 1) and (1, dims)
    angle = position / 100 ** (2 * (dimension // 2) / 64)
    formula = np.where(dimension % 2 == 0, np.sin(angle), np.cos(angle))
    np.testing.assert_allclose(drawn, formula, atol=1e-7)
    waves, chosen = specs(page)[2]["data"]
    expected = 2 * np.pi * 100 ** (np.arange(0, 64, 2) / 64)
    np.testing.assert_allclose(array(waves["y"]), expected, rtol=1e-6)
    assert (array(chosen["x"]), array(chosen["y"])) == ([5], pytest.approx(expected[5]))
    page = open_page(d_model="4", dims="2.3.90", wave="50")  # beyond the table
    assert (page.multiselect(key="dims").value, page.number_input(key="wave").value) == ([2, 3], 1)


def test_the_four_schemes_show_the_models_table_and_the_papers_formulas() -> None:
    page = open_page(kind="rotary")  # a part of old links
    assert page.address == {"kind": "schemes"} and "The link's" not in words_on(page)
    learned, relative, rotary, alibi = (z(page, index) for index in range(4))
    minilm = load_file(embedded_folder() / "model.safetensors")
    table = minilm["embeddings.position_embeddings.weight"].double().numpy()[:24]  # (24, 384)
    rows = table / np.linalg.norm(table, axis=1, keepdims=True)
    np.testing.assert_allclose(learned, rows @ rows.T, atol=1e-6)
    n = learned.diagonal(1)  # neighbours
    said = f"{n[1:].min():.2f} to {n.max():.2f} for positions 1 to 23), but not those of "
    assert f"{said}positions 0 and 1 ({n[0]:.2f})" in words_on(page)
    assert (relative[7, 0], relative[0, 7], relative[23, 0]) == (-7, 7, -11)  # 8 to 127: 8 groups
    angles = 7 * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    np.testing.assert_allclose(rotary.diagonal(7), np.cos(angles).mean(), atol=1e-6)
    assert (alibi[3, 0], alibi[9, 7]) == (-1.5, -1) and np.isnan(alibi[0, 3])  # masked


def ordering(page: Visit) -> dict:
    return payloads(page)["word_order"]


def test_reordered_words_give_the_weights_of_the_reordered_sentence() -> None:
    page = open_page(kind="shuffle", text=FIVE, strength="1")
    words, order = FIVE.split(), [4, 3, 2, 1, 0]  # reversed until a word is moved
    assert (ordering(page)["words"], ordering(page)["order"]) == (words, order)
    typed = captures.capture("scratch-minilm", FIVE, None).weights[3, 1]
    moved = captures.capture("scratch-minilm", " ".join(words[word] for word in order), None)
    np.testing.assert_allclose(z(page, 0), typed, atol=1e-6)
    back = np.argsort([0, *(word + 1 for word in order), 6])
    expected = moved.weights[3, 1][np.ix_(back, back)]
    np.testing.assert_allclose(z(page, 1), expected, atol=1e-6)
    words = np.s_[1:-1, 1:-1]  # without [CLS] and [SEP]
    (typed, expected), change = (typed[words], expected[words]), np.abs(expected - typed)[words]
    place = np.unravel_index(change.argmax(), change.shape)
    said = f"gives “.*” {typed[place]:.2f} as typed, and {expected[place]:.2f} in the new order"
    assert re.search(said, words_on(page))
    half = captures.reordered_run("scratch-minilm", FIVE, None, 0.5).capture.weights[3, 1]
    np.testing.assert_allclose(z(open_page(kind="shuffle", text=FIVE, strength="0.5")), half, 1e-4)


def test_the_order_changes_the_weights_only_with_positions() -> None:
    page = open_page(kind="shuffle", text=FIVE, model="scratch", order="4.3.2.1.0")
    assert page.slider(key="strength").value == 0
    number = r"changes no weight of scratch's L3·H1 \(only rounding: up to (-?\d[\d.]*\d)\)"
    found = re.search(number, words_on(page))
    assert found is not None and float(found.group(1)) < 1e-5
    np.testing.assert_allclose(z(page, 0), z(page, 1), atol=1e-5)
    # Another sentence begins in its own order.
    page.go("explore").text_input(key="text").set_value("a cat chased the dog").run()
    assert page.go("positions").session_state["text"] == "a cat chased the dog"
    assert page.session_state["order"] == []
    for order in ("3.1", "0.0.1.1.2", "9" * 30):
        page = open_page(kind="shuffle", text=FIVE, order=order)
        assert not page.error and ordering(page)["order"] == [4, 3, 2, 1, 0]
    page = open_page(kind="shuffle", text=FIVE, order="0.1.2.3.4")
    assert "Move one" in words_on(page) and "Without positions, the" not in words_on(page)


def test_an_impossible_number_is_an_error_and_can_be_corrected() -> None:
    page = open_page(d_model="7")
    assert len(page.error) == 1 and "even" in words_on(page) and not specs(page)
    assert page.number_input(key="d_model").value == 7  # it still shows the invalid number
    page.number_input(key="d_model").set_value(4).run()
    assert not page.exception and not page.error and specs(page)


def test_a_link_restores_every_part_of_the_view_and_each_part_keeps_its_settings() -> None:
    links = [
        "kind=sinusoidal&d_model=64&length=30&base=100&dims=2.9&wave=20",
        "kind=shuffle&text=the+dog+ran&model=scratch-untrained&layer=2&head=7&order=1.0.2"
        "&strength=0.35",
    ]
    for gone in ("other", "shift"):
        assert f"kind = {gone} is not known" in words_on(open_page(kind=gone))
    for link in links:
        view = dict(parse_qsl(link))
        page = open_page(**view)
        assert "The link's" not in words_on(page) and page.address == view
        # The session keeps the settings of other parts, but the URL contains only the current one.
        page.button_group(key="kind").set_value("schemes").run()
        assert page.address == {"kind": "schemes"} and len(specs(page)) == 4
        page.button_group(key="kind").set_value(view["kind"]).run()
        assert page.address == view and specs(page)
