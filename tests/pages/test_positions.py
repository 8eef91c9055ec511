"""The Positions page in AppTest."""

import re
from functools import partial
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from model.catalogue.pretrained.hub import embedded_folder
from tests.pages import visit
from tests.pages.figures import array, payloads, specs, trace, words_on, z
from tests.pages.visit import Visit
from web.cache import captures

FIVE = "the dog chased a cat"

open_page = partial(visit.open_page, "positions")


def number_on(pattern: str, page: Visit) -> float:
    """A number on the page, at the ``#`` of the pattern."""
    found = re.search(pattern.replace("#", r"(-?\d[\d.]*(?:e[+-]\d+)?)"), words_on(page))
    assert found is not None
    return float(found.group(1))


def sinusoid(position, dimension, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """The formula of the paper for each cell: (L,) and (D,) -> (L, D)."""
    position, dimension = np.ix_(np.asarray(position, float), np.asarray(dimension, int))
    angle = position / base ** (2 * (dimension // 2) / d_model)
    return np.where(dimension % 2 == 0, np.sin(angle), np.cos(angle))


def test_curves_and_wavelengths_equal_the_papers_formula() -> None:
    page = open_page(length="50", d_model="64", base="100", dims="0.1.9.40", wave="5")
    dims = [0, 1, 9, 40]
    curves = specs(page)[1]["data"]
    drawn = np.stack([array(curve["y"]) for curve in curves], axis=1)  # (L, dims)
    np.testing.assert_allclose(drawn, sinusoid(range(50), dims, 64, 100), atol=1e-7)
    waves, chosen = specs(page)[2]["data"]
    expected = 2 * np.pi * 100 ** (np.arange(0, 64, 2) / 64)
    np.testing.assert_allclose(array(waves["y"]), expected, rtol=1e-6)
    assert (array(chosen["x"]), array(chosen["y"])) == ([5], pytest.approx(expected[5]))
    page = open_page(d_model="4", dims="2.3.90", wave="50")  # beyond the table
    assert (page.multiselect(key="dims").value, page.number_input(key="wave").value) == ([2, 3], 1)


def test_learned_tables_equal_the_models_weights() -> None:
    page = open_page(kind="learned")
    minilm = load_file(embedded_folder() / "model.safetensors")
    table = minilm["embeddings.position_embeddings.weight"].double().numpy()  # (512, 384)
    diagonal = (table @ table.T).diagonal(100)
    for curve, expected in zip(specs(page)[5]["data"], (np.min, np.max, np.mean), strict=True):
        assert array(curve["y"])[100] == pytest.approx(expected(diagonal), rel=1e-5)
    # The other encoder computes its table with the formula.
    rows, columns = (array(trace(page, 0)[axis]) for axis in "yx")
    np.testing.assert_allclose(z(page, 0), sinusoid(rows, columns, 192), atol=1e-6)


def test_a_shift_gives_the_vector_at_the_moved_position() -> None:
    page = open_page(kind="shift", offset="-3", position="10", d_model="64")
    for curve in specs(page)[1]["data"]:
        np.testing.assert_allclose(array(curve["y"]), sinusoid([7], range(64), 64)[0], atol=1e-6)


def test_rotary_scores_and_arrows_equal_complex_products_and_depend_only_on_the_offset() -> None:
    places = {"query_at": "5", "key_at": "12", "both": "20", "pair": "1"}
    page = open_page(kind="rotary", d_head="16", seed="3", **places)
    generator = torch.Generator().manual_seed(3)
    drawn = torch.randn(2, 16, generator=generator, dtype=torch.float64).numpy()
    q, k = drawn[:, 0::2] + 1j * drawn[:, 1::2]
    omega = 10_000.0 ** (-np.arange(0, 16, 2) / 16)
    score = (q.conj() * k * np.exp(1j * 7 * omega)).real.sum()
    for move in ("m = 5 and n = 12", "both moved by 20"):
        assert number_on(rf"\*\*#\*\* with {move}", page) == pytest.approx(score, abs=1e-6)
    without = number_on("q · k is # without positions", page)
    assert without == pytest.approx((q.conj() * k).real.sum(), abs=1e-6)
    assert array(specs(page)[2]["data"][1]["x"]) == [7]  # the point of the selected offset
    arrows = {each["name"]: each for each in specs(page)[1]["data"] if "name" in each}
    for name, vector, position in (("q′", q, 25), ("k′", k, 32)):
        x, y = (array(arrows[f"{name} (turned)"][axis])[1] for axis in "xy")
        assert x + 1j * y == pytest.approx(vector[1] * np.exp(1j * omega[1] * position), abs=1e-6)


def test_alibi_subtracts_slope_times_distance() -> None:
    slope = 2**-0.5
    page = open_page(kind="alibi", heads="12", of="8", tokens="9")
    slopes = array(trace(page, 0)["y"])
    assert (len(slopes), slopes[8]) == (12, pytest.approx(slope))
    assert number_on("it gets # times", page) == pytest.approx(np.exp(-slope), abs=5e-5)


def ordering(page: Visit) -> dict:
    return payloads(page)["word_order"]


def test_reordered_words_give_the_weights_of_the_reordered_sentence() -> None:
    order = [4, 1, 2, 0, 3]
    page = open_page(kind="shuffle", text=FIVE, order="4.1.2.0.3", strength="1")
    words = FIVE.split()
    assert (ordering(page)["words"], ordering(page)["order"]) == (words, order)
    typed = captures.capture("scratch-minilm", FIVE, None).weights[3, 1]
    moved = captures.capture("scratch-minilm", " ".join(words[word] for word in order), None)
    assert len(typed) == 7  # one token for each word, and two special tokens
    np.testing.assert_allclose(z(page, 0), typed, atol=1e-6)
    back = np.argsort([0, *(word + 1 for word in order), 6])
    expected = moved.weights[3, 1][np.ix_(back, back)]
    np.testing.assert_allclose(z(page, 1), expected, atol=1e-6)
    difference = np.abs(expected - typed).max()
    assert number_on("between both: #\\. ", page) == pytest.approx(difference, rel=0.05)


def test_the_order_changes_the_weights_only_with_positions() -> None:
    page = open_page(kind="shuffle", text=FIVE, model="scratch", order="4.3.2.1.0")
    assert number_on(r"\*\*Positions off\*\*.*\*\*#\*\*", page) < 1e-5
    assert number_on(r"\*\*Positions on\*\*.*\*\*#\*\*", page) > 0.1
    # Another sentence begins in its typed order.
    page.go("explore").text_input(key="text").set_value("a cat chased the dog").run()
    assert page.go("positions").session_state["text"] == "a cat chased the dog"
    assert ordering(page)["order"] == [0, 1, 2, 3, 4]
    for order in ("3.1", "0.0.1.1.2", "9" * 30):
        page = open_page(kind="shuffle", text=FIVE, order=order)
        assert not page.error and ordering(page)["order"] == [0, 1, 2, 3, 4]


def test_an_impossible_number_is_an_error_and_can_be_corrected() -> None:
    for kind, name, key, value, message in (
        ("sinusoidal", "d_model", "d_model", 7, "even"),
        ("shift", "offset", "offset", 5001, "-5,000 to 5,000"),
        ("relative", "tokens", "n_tokens", 257, "1 to 256"),
        ("alibi", "of", "alibi_head", 8, "0 to 7"),
    ):
        page = open_page(kind=kind, **{name: str(value)})
        assert len(page.error) == 1 and message in words_on(page) and not specs(page)
        assert page.number_input(key=key).value == value  # it still shows the invalid number
        page.number_input(key=key).set_value(4).run()
        assert not page.exception and not page.error and specs(page)


def test_a_link_restores_every_part_of_the_view_and_each_kind_keeps_its_settings() -> None:
    links = [
        "kind=sinusoidal&d_model=64&length=30&base=100&dims=2.9&wave=20",
        "kind=learned&left=minilm&right=scratch-minilm",
        "kind=shift&d_model=32&length=60&position=3&offset=-9",
        "kind=rotary&d_head=8&query_at=1&key_at=90&both=33&pair=3&seed=11",
        "kind=alibi&heads=12&of=11&tokens=20",
        "kind=shuffle&text=the+dog+ran&model=scratch-untrained&layer=2&head=7&order=1.0.2"
        "&strength=0.35",
    ]
    assert "kind = other is not known" in words_on(open_page(kind="other"))
    for link in links:
        view = dict(parse_qsl(link))
        page = open_page(**view)
        assert "The link's" not in words_on(page) and page.address == view
        # The session keeps the settings of other kinds, but the URL contains only the current kind.
        page.button_group(key="kind").set_value("relative").run()
        assert z(page)[7, 0] == 7 and z(page)[0, 7] == 16 + 7  # T5: later keys have the upper half
        assert page.address["kind"] == "relative" and len(specs(page)) == 1
        page.button_group(key="kind").set_value(view["kind"]).run()
        assert page.address == view and specs(page)
