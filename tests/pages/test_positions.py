"""The Positions page in AppTest."""

import base64
import json
import re
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from streamlit.testing.v1 import AppTest
from transformers.models.t5.modeling_t5 import T5Attention

from model.catalogue.pretrained.hub import embedded_folder
from pages.positions.url import KINDS
from tests.model import checkpoints
from tests.pages.conftest import first_visit
from tests.pages.figures import figures
from web.cache import captures, loaded_models

CHARTS = {
    "sinusoidal": 3,
    "learned": 6,
    "shift": 2,
    "relative": 1,
    "rotary": 3,
    "alibi": 2,
    "shuffle": 2,
}
FIVE = "the dog chased a cat"
NUMBER = r"(-?\d[\d.]*(?:e[+-]\d+)?)"


def open_page(**address: str) -> AppTest:
    page = first_visit("positions")
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def specs(page: AppTest) -> list[dict]:
    """The Plotly payload of each chart, from top to bottom."""
    return [chart.spec for chart in figures(page)]


def trace(page: AppTest, chart: int, index: int = 0) -> dict:
    return specs(page)[chart]["data"][index]


def array(payload: dict | list) -> np.ndarray:
    """The values of a payload, decoded as in the browser."""
    if isinstance(payload, list):
        return np.array(payload)
    flat = np.frombuffer(base64.b64decode(payload["bdata"]), dtype=f"<{payload['dtype']}")
    return flat.reshape([int(n) for n in payload.get("shape", str(flat.size)).split(",")])


def z(page: AppTest, chart: int = 0) -> np.ndarray:
    return array(trace(page, chart)["z"])


def address(page: AppTest) -> dict[str, str]:
    return {
        name: values if isinstance(values, str) else values[0]
        for name, values in page.query_params.items()
    }


def words_on(page: AppTest) -> str:
    kinds = ["markdown", "caption", "success", "info", "warning", "error", "toast"]
    words = "\n".join(str(element.value) for kind in kinds for element in page.get(kind))
    return words.replace("\\", "").replace("&#58;", ":")


def number_on(pattern: str, page: AppTest) -> float:
    """A number on the page, at the ``#`` of the pattern."""
    return float(re.search(pattern.replace("#", NUMBER), words_on(page)).group(1))


def ordering(page: AppTest) -> dict:
    """The payload of the component that reorders the words."""
    (found,) = [node for node in page.get("bidi_component") if node.key == "word_order"]
    return json.loads(found.proto.json)[0]


def sinusoid(position, dimension, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """The formula of the paper for each cell: (L,) and (D,) -> (L, D)."""
    position, dimension = np.ix_(np.asarray(position, float), np.asarray(dimension, int))
    angle = position / base ** (2 * (dimension // 2) / d_model)
    return np.where(dimension % 2 == 0, np.sin(angle), np.cos(angle))


# -- every kind ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_segmented_control_selects_every_kind(kind: str) -> None:
    page = open_page(kind="alibi" if kind != "alibi" else "rotary")
    page.button_group(key="kind").set_value(kind).run()
    assert not page.exception
    assert len(specs(page)) == CHARTS[kind]
    assert address(page)["kind"] == kind


# -- exact numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "d_model", "base"),
    [(1, 2, 10_000.0), (300, 770, 7.5), (5000, 1024, 1e4)],
)
def test_every_drawn_cell_of_the_sinusoids_equals_the_papers_formula(
    length: int, d_model: int, base: float
) -> None:
    page = open_page(length=str(length), d_model=str(d_model), base=str(base))
    assert not page.exception
    drawn = trace(page, 0)
    rows, columns = array(drawn["y"]), array(drawn["x"])
    assert rows[0] == columns[0] == 0
    assert rows[-1] < length and columns[-1] < d_model
    assert z(page).shape == (len(rows), len(columns))
    np.testing.assert_allclose(z(page), sinusoid(rows, columns, d_model, base), atol=1e-7)


def test_curves_and_wavelengths_equal_the_formula() -> None:
    page = open_page(length="50", d_model="64", dims="0.1.9.40", wave="5")
    dims = [0, 1, 9, 40]
    curves = specs(page)[1]["data"]
    assert [curve["name"] for curve in curves] == [f"dim {dim}" for dim in dims]
    drawn = np.stack([array(curve["y"]) for curve in curves], axis=1)  # (L, dims)
    np.testing.assert_allclose(drawn, sinusoid(range(50), dims, 64), atol=1e-7)
    waves, chosen = specs(page)[2]["data"]
    expected = 2 * np.pi * 10_000 ** (np.arange(0, 64, 2) / 64)
    np.testing.assert_allclose(array(waves["y"]), expected, rtol=1e-6)
    assert array(chosen["x"]) == [5]
    assert array(chosen["y"]) == pytest.approx(expected[5])
    assert number_on("One turn takes # positions", page) == pytest.approx(expected[5], rel=1e-5)


def test_learned_tables_equal_the_models_weights() -> None:
    page = open_page(kind="learned")
    minilm = load_file(embedded_folder() / "model.safetensors")
    table = minilm["embeddings.position_embeddings.weight"].double().numpy()  # (512, 384)
    drawn = trace(page, 3)
    rows, columns = array(drawn["y"]), array(drawn["x"])
    np.testing.assert_array_equal(z(page, 3), table[np.ix_(rows, columns)].astype(np.float32))
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    np.testing.assert_allclose(z(page, 4), (unit @ unit.T)[np.ix_(rows, rows)], atol=1e-6)
    low, high, mean = (array(curve["y"]) for curve in specs(page)[5]["data"])
    products = table @ table.T
    for offset in (0, 1, 100, 511):
        diagonal = products.diagonal(offset)
        assert mean[offset] == pytest.approx(diagonal.mean(), rel=1e-5)
        assert low[offset] == pytest.approx(diagonal.min(), rel=1e-5)
        assert high[offset] == pytest.approx(diagonal.max(), rel=1e-5)
    assert "The dot product depends only on the offset" in words_on(page)
    assert "At one offset, the dot product varies by up to" in words_on(page)
    # The other encoder computes its table with the formula.
    rows, columns = (array(trace(page, 0)[axis]) for axis in "yx")
    d_model = loaded_models.loaded_model("scratch").position_table.shape[1]
    np.testing.assert_allclose(z(page, 0), sinusoid(rows, columns, d_model), atol=1e-6)
    assert "scratch **computes** this table: sinusoids" in words_on(page)
    assert "minilm **learned** this table" in words_on(page)


def test_a_model_without_a_position_table_gives_a_notice_and_the_other_side_is_drawn(
    tmp_path: object,
) -> None:
    folder = checkpoints.save("modernbert", tmp_path / "rotary")
    page = open_page(kind="learned", left=str(folder))
    assert not page.exception
    assert not page.error
    assert any("adds no position vectors" in info.value for info in page.info)
    assert len(specs(page)) == 3
    table = loaded_models.loaded_model("minilm").position_table.numpy()
    np.testing.assert_array_equal(z(page, 0), table[::2])


@pytest.mark.parametrize(("offset", "position"), [("7", "10"), ("-3", "0"), ("5000", "5000")])
def test_a_shift_is_a_rotation_at_every_position(offset: str, position: str) -> None:
    page = open_page(kind="shift", offset=offset, position=position, length="5000", d_model="64")
    assert not page.exception
    assert number_on("differ by at most # over", page) < 1e-10
    k, pos = int(offset), int(position)
    drawn = z(page, 0)  # the first 16 of 64 rows and columns
    expected = np.zeros((16, 16))
    for pair in range(8):
        angle = k / 10_000 ** (2 * pair / 64)
        block = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        expected[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = block
    np.testing.assert_allclose(drawn, expected, atol=1e-6)
    line, points = (array(curve["y"]) for curve in specs(page)[1]["data"])
    diagonal = sinusoid([pos + k], range(64), 64)[0]
    np.testing.assert_allclose(line, diagonal, atol=1e-6)
    np.testing.assert_allclose(points, diagonal, atol=1e-6)


@pytest.mark.parametrize("n_tokens", [1, 256])
def test_relative_buckets_equal_the_published_t5(n_tokens: int) -> None:
    page = open_page(kind="relative", tokens=str(n_tokens))
    positions = torch.arange(n_tokens)
    published = T5Attention._relative_position_bucket(positions - positions[:, None])
    np.testing.assert_array_equal(z(page), published.numpy())


def test_rotary_scores_equal_complex_products_and_depend_only_on_the_offset() -> None:
    m, n, d_head = 5, 12, 16
    page = open_page(kind="rotary", query_at=str(m), key_at=str(n), d_head=str(d_head), seed="3")
    generator = torch.Generator().manual_seed(3)
    q, k = torch.randn(2, 1, d_head, generator=generator, dtype=torch.float64)[:, 0].numpy()
    q, k = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    omega = 10_000.0 ** (-np.arange(0, d_head, 2) / d_head)

    def score(offset: int) -> float:
        return (q.conj() * k * np.exp(1j * offset * omega)).sum().real

    for move in ("m = 5 and n = 12", "both moved by 10"):
        assert number_on(rf"\*\*#\*\* with {move}", page) == pytest.approx(score(n - m), abs=1e-6)
    assert number_on("q · k is # without positions", page) == pytest.approx(score(0), abs=1e-6)
    assert number_on("differ by #:", page) < 1e-10
    curve, here = specs(page)[2]["data"]
    offsets = array(curve["x"]).astype(int)
    np.testing.assert_allclose(array(curve["y"]), [score(o) for o in offsets], atol=1e-5)
    assert array(here["x"]) == [n - m]


def test_rotary_turns_the_arrows_of_a_pair_and_a_common_move_keeps_their_product() -> None:
    m, n, by, pair = 3, 9, 20, 1
    places = {"query_at": str(m), "key_at": str(n), "both": str(by), "pair": str(pair)}
    page = open_page(kind="rotary", d_head="6", seed="5", **places)
    generator = torch.Generator().manual_seed(5)
    drawn = torch.randn(2, 6, generator=generator, dtype=torch.float64).numpy()
    q, k = (vector[2 * pair] + 1j * vector[2 * pair + 1] for vector in drawn)
    omega = 10_000.0 ** (-2 * pair / 6)
    for chart, move in ((0, 0), (1, by)):
        ends = {curve["name"]: curve for curve in specs(page)[chart]["data"] if "name" in curve}
        for name, vector, position in (("q′", q, m + move), ("k′", k, n + move)):
            arrow = ends[f"{name} (turned)"]
            turned = vector * np.exp(1j * omega * position)
            assert array(arrow["x"])[1] + 1j * array(arrow["y"])[1] == pytest.approx(
                turned, abs=1e-6
            )
    products = [spec["layout"]["title"]["subtitle"]["text"] for spec in specs(page)[:2]]
    product = (q.conjugate() * k * np.exp(1j * omega * (n - m))).real
    written = f"{product:.6f}".replace("-", "−")
    assert products == [f"q′ · k′ in this pair: {written}"] * 2


@pytest.mark.parametrize(
    ("heads", "head", "slope"),
    [(8, 7, 2**-8), (12, 8, 2**-0.5)],
)
def test_alibi_subtracts_slope_times_distance(heads: int, head: int, slope: float) -> None:
    page = open_page(kind="alibi", heads=str(heads), of=str(head), tokens="9")
    assert not page.exception
    i, j = np.indices((9, 9))
    np.testing.assert_allclose(z(page, 1), -slope * np.abs(i - j), rtol=1e-6, atol=0)
    assert array(trace(page, 0)["y"])[head] == pytest.approx(slope)
    assert len(array(trace(page, 0)["y"])) == heads
    assert number_on(f"Slope of head {head}: #\\.", page) == pytest.approx(slope, rel=1e-5)
    assert number_on("it gets # times", page) == pytest.approx(np.exp(-slope), abs=5e-5)


# -- the shuffle test ----------------------------------------------------------------------------


def test_reordered_words_give_the_weights_of_the_reordered_sentence() -> None:
    order = [4, 1, 2, 0, 3]
    page = open_page(kind="shuffle", text=FIVE, order="4.1.2.0.3", strength="1")
    assert not page.exception
    assert ordering(page)["order"] == order
    words = FIVE.split()
    assert ordering(page)["words"] == words
    typed = captures.capture("scratch-minilm", FIVE, None)
    moved = captures.capture("scratch-minilm", " ".join(words[word] for word in order), None)
    assert len(typed.tokens) == 7  # one token for each word, and two special tokens
    np.testing.assert_allclose(z(page, 0), typed.weights[3, 1], atol=1e-6)
    back = np.argsort([0, *(word + 1 for word in order), 6])
    expected = moved.weights[3, 1][np.ix_(back, back)]
    np.testing.assert_allclose(z(page, 1), expected, atol=1e-6)
    difference = np.abs(expected - typed.weights[3, 1]).max()
    assert number_on("between both: #\\. ", page) == pytest.approx(difference, rel=0.05)


@pytest.mark.parametrize("model", ["scratch", "scratch-minilm", "scratch-untrained"])
def test_the_order_changes_the_weights_only_with_positions(model: str) -> None:
    page = open_page(kind="shuffle", model=model, order="11.10.9.8.7.6.5.4.3.2.1.0")
    count = len(ordering(page)["words"])
    reverse = ".".join(str(word) for word in reversed(range(count)))
    page = open_page(kind="shuffle", model=model, order=reverse)
    assert not page.exception
    assert number_on(r"\*\*Positions off\*\*.*\*\*#\*\*", page) < 1e-5
    assert number_on(r"\*\*Positions on\*\*.*\*\*#\*\*", page) > 0.1
    np.testing.assert_allclose(z(page, 0), z(page, 1), atol=1e-5)
    on = open_page(kind="shuffle", model=model, order=reverse, strength="1")
    assert np.abs(z(on, 0) - z(on, 1)).max() > 1e-3


def test_a_sentence_typed_on_explore_starts_in_its_typed_order() -> None:
    page = open_page(kind="shuffle", text=FIVE, order="4.3.2.1.0")
    page.query_params.clear()
    page.switch_page("explore/page.py").run()
    page.text_input(key="text").set_value("a cat chased the dog").run()
    page.query_params.clear()
    page.switch_page("positions/page.py").run()
    assert page.session_state["text"] == "a cat chased the dog"
    assert ordering(page)["order"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "text",
    [
        "🙂 👩‍👩‍👧 🏳️‍🌈",
        "动物没有过马路，因为它太累了。",
        "<script> {0} %s :red[x] $y$ [MASK]",
        "a" * 5_000,
    ],
)
def test_any_text_can_be_reordered(text: str) -> None:
    page = open_page(kind="shuffle", text=text)
    assert not page.exception
    assert not page.error
    payload = ordering(page)
    assert payload["order"] == list(range(len(payload["words"])))
    assert all(word in text for word in payload["words"])
    assert len(specs(page)) == 2


# -- invalid values ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "value", "message"),
    [
        ("sinusoidal", "d_model", "7", "even"),
        ("sinusoidal", "d_model", "1026", "2 to 1,024"),
        ("sinusoidal", "length", "0", "1 to 5,000"),
        ("sinusoidal", "base", "-1", "1 to 1,000,000,000,000"),
        ("shift", "offset", "5001", "-5,000 to 5,000"),
        ("shift", "position", "-1", "0 to 5,000"),
        ("relative", "tokens", "257", "1 to 256"),
        ("rotary", "d_head", "7", "even"),
        ("rotary", "key_at", "5001", "0 to 5,000"),
        ("rotary", "seed", "-1", "0 to 1,000,000"),
        ("alibi", "heads", "129", "1 to 128"),
        ("alibi", "of", "8", "0 to 7"),
    ],
)
def test_an_impossible_number_is_an_error_and_can_be_corrected(
    kind: str, name: str, value: str, message: str
) -> None:
    page = open_page(kind=kind, **{name: value})
    assert not page.exception
    assert len(page.error) == 1
    assert message in words_on(page)
    assert not specs(page)
    # The input still shows the invalid number and accepts a valid one.
    key = {"tokens": "n_tokens", "heads": "n_heads", "of": "alibi_head", "seed": "rotary_seed"}
    box = page.number_input(key=key.get(name, name))
    assert box.value == float(value)
    box.set_value(type(box.value)(4)).run()
    assert not page.exception
    assert not page.error
    assert len(specs(page)) == CHARTS[kind]


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("sinusoidal", "d_model", "1e3"),
        ("sinusoidal", "base", "nan"),
        ("sinusoidal", "dims", "a.b"),
        ("shuffle", "order", "b.a"),
        ("shuffle", "strength", "3"),
        ("shuffle", "model", " "),
        ("other", "kind", "other"),
    ],
)
def test_an_unknown_value_in_a_link_gives_a_notice_and_the_default(
    kind: str, name: str, value: str
) -> None:
    page = open_page(**{"kind": kind, name: value})
    assert not page.exception
    assert not page.error
    assert any(f"{name} = " in w.value.replace("\\", "") for w in page.warning)
    assert len(specs(page)) == CHARTS.get(kind, CHARTS["sinusoidal"])
    fresh = address(open_page(kind=kind if kind in KINDS else "sinusoidal"))
    assert address(page) == fresh


@pytest.mark.parametrize("order", ["3.1", "0.0.1.1.2", "9" * 30])
def test_an_order_that_does_not_fit_the_sentence_is_ignored(order: str) -> None:
    page = open_page(kind="shuffle", text=FIVE, order=order)
    assert not page.exception
    assert not page.error
    assert ordering(page)["order"] == [0, 1, 2, 3, 4]
    assert "The words are in the order that you typed" in words_on(page)


def test_dimensions_and_pairs_beyond_the_table_are_corrected() -> None:
    page = open_page(d_model="4", dims="2.3.90", wave="50")
    assert not page.exception
    assert page.multiselect(key="dims").value == [2, 3]
    assert page.number_input(key="wave").value == 1
    assert page.multiselect(key="dims").options == ["0", "1", "2", "3"]


# -- the URL -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        "kind=sinusoidal&d_model=64&length=30&base=100&dims=2.9&wave=20",
        "kind=learned&left=minilm&right=scratch-minilm",
        "kind=shift&d_model=32&length=60&position=3&offset=-9",
        "kind=rotary&d_head=8&query_at=1&key_at=90&both=33&pair=3&seed=11",
        "kind=alibi&heads=12&of=11&tokens=20",
        "kind=shuffle&text=the+dog+ran&model=scratch-untrained&layer=2&head=7&order=1.0.2"
        "&strength=0.35",
    ],
)
def test_a_link_restores_every_part_of_the_view(link: str) -> None:
    view = dict(parse_qsl(link))
    page = open_page(**view)
    assert not page.exception
    assert "The link's" not in words_on(page)
    assert address(page) == view
    # The session keeps the settings of other kinds, but the URL contains only the current kind.
    page.button_group(key="kind").set_value("relative").run()
    page.button_group(key="kind").set_value(view["kind"]).run()
    assert address(page) == view
