"""The Python code of a figure draws the same figure."""

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from model.version import citation
from pages.layers import notebook as layers_notebook
from pages.layers.url import KINDS
from pages.positions import notebook as positions_notebook
from tests.pages.conftest import first_visit
from tests.pages.figures import figures
from tests.pages.test_explore import open_page
from tests.pages.test_layers import OF_ENCODERS
from tests.pages.test_layers import open_page as open_layers
from tests.pages.test_positions import array, trace
from tests.pages.test_positions import open_page as open_positions
from web.widgets import notebook
from web.widgets.export import _json, stem
from web.widgets.sides import SideRequest

PLAIN = SideRequest("left", "scratch", "The 'quoted' \\ cat sat.", None, False, "show")
MERGED = SideRequest("left", "minilm", "unbelievable cats", "sat.", True, "renormalise")
HIDDEN = SideRequest("left", "minilm", "unbelievable cats slept", None, False, "hide")
UNKNOWN = SideRequest("left", "minilm", "the 🦩 slept", None, False, "show")
REQUESTS = [PLAIN, MERGED, HIDDEN]


def address(side_request: SideRequest) -> dict[str, str]:
    """URL parameters of a page with a request on both sides."""
    pair = {} if side_request.text_pair is None else {"pair": side_request.text_pair}
    return {
        "text": side_request.text,
        "left": side_request.model,
        "right": side_request.model,
        "words": str(int(side_request.merge_words)),
        "special": side_request.special,
        **pair,
    }


def run(lines: str) -> dict[str, object]:
    """The variables after the code has run."""
    variables: dict[str, object] = {}
    exec(compile(lines, "notebook", "exec"), variables)
    return variables


def assert_same_figure(lines: str, page: AppTest, chart: int = 0) -> None:
    assert not page.exception
    figure = run(lines)["figure"]
    assert isinstance(figure, go.Figure)
    shown = trace(page, chart)
    np.testing.assert_allclose(np.asarray(figure.data[0].z), array(shown["z"]), atol=1e-6)
    assert len(figure.data[0].x) == len(shown["x"])


@pytest.mark.parametrize("side_request", [*REQUESTS, UNKNOWN])
def test_code_of_a_head_draws_the_figure_of_explore(side_request: SideRequest) -> None:
    page = open_page(layer="3", head="1", **address(side_request))
    lines = notebook.head_lines(side_request, 3, 1)
    assert_same_figure(lines, page)
    assert list(run(lines)["figure"].data[0].x) == trace(page, 0)["x"]  # equal labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side_request", REQUESTS[:2])
def test_code_of_a_layer_draws_the_figure_of_the_page(side_request: SideRequest, kind: str) -> None:
    page = open_layers(kind=kind, layer="4", head="2", **address(side_request))
    assert_same_figure(layers_notebook.layer_lines(side_request, kind, 4, 2), page)


@pytest.mark.parametrize("kind", ["head", "rollout", "norm"])
def test_code_of_a_difference_draws_the_figure_of_the_page(kind: str) -> None:
    other = replace(HIDDEN, text="unbelievable dogs slept")
    page = open_layers(
        part="difference",
        against="sentence",
        other=other.text,
        kind=kind,
        layer="1",
        head="9",
        **address(HIDDEN),
    )
    assert_same_figure(notebook.difference_lines(HIDDEN, other, kind, (1, 1), (9, 9)), page)


def test_code_of_a_difference_marks_masked_cells() -> None:
    side_request = SideRequest("left", "smollm2", "The cat sat", None, False, "show")
    other = replace(side_request, text="The dog sat")
    variables = run(notebook.difference_lines(side_request, other, "rollout", (1, 1), (2, 2)))
    hidden = np.triu(np.ones_like(variables["changed"], dtype=bool), 1)
    expected = np.where(hidden, np.nan, variables["changed"])
    np.testing.assert_allclose(np.asarray(variables["figure"].data[0].z), expected, atol=1e-6)


@pytest.mark.parametrize("measure", OF_ENCODERS)
def test_code_of_a_profile_draws_its_curves(measure: str) -> None:
    right = replace(PLAIN, side="right", model="minilm")
    page = open_layers(part="profile", measure=measure, **{**address(PLAIN), "right": "minilm"})
    figure = run(layers_notebook.profile_lines(measure, PLAIN, right))["figure"]
    drawn = {curve.name: curve.y for curve in figure.data if curve.name}
    shown = [t for t in figures(page)[0].spec["data"] if "name" in t]
    assert set(drawn) == {curve["name"] for curve in shown} == {"scratch", "minilm"}
    for curve in shown:
        np.testing.assert_allclose(drawn[curve["name"]], array(curve["y"]), atol=1e-6)


@pytest.mark.parametrize("side_request", REQUESTS)
def test_code_of_the_residual_stream_draws_the_figure_of_the_page(
    side_request: SideRequest,
) -> None:
    page = open_layers(part="stream", stream="attended", **address(side_request))
    assert_same_figure(layers_notebook.stream_lines(side_request, "attended"), page)


def test_code_of_a_similarity_gives_the_distances_of_the_page() -> None:
    right = replace(MERGED, side="right", model="scratch")
    page = open_layers(part="similarity", **{**address(MERGED), "right": "scratch"})
    again = run(layers_notebook.similarity_lines(MERGED, right))["distances"]
    np.testing.assert_allclose(array(trace(page, 0)["z"]), again, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "chart", "address"),
    [
        ("sinusoidal", 0, {"length": "30", "d_model": "14", "base": "100"}),
        ("learned", 0, {"left": "minilm"}),
        ("shift", 0, {"offset": "-3", "d_model": "10"}),
        ("relative", 0, {"tokens": "9"}),
        ("alibi", 1, {"tokens": "7", "heads": "6", "of": "2"}),
        ("shuffle", 1, {"text": "the 'old' cat", "order": "2.0.4.1.3", "layer": "2", "head": "5"}),
    ],
)
def test_code_of_positions_draws_the_figure_of_the_page(
    kind: str, chart: int, address: dict[str, str]
) -> None:
    page = open_positions(kind=kind, **address)
    assert not page.exception
    figure = run(exported_code(page))["figure"]
    shown = trace(page, chart)
    z = array(shown["z"])
    again = np.asarray(figure.data[0].z)
    if kind != "shuffle":  # the page draws only some rows and columns
        again = again[np.ix_(np.array(array(shown["y"]), int), np.array(array(shown["x"]), int))]
    np.testing.assert_allclose(again, z, atol=1e-6)


def test_code_of_a_rotation_draws_its_curve() -> None:
    page = open_positions(kind="rotary", d_head="6", query_at="3", key_at="8", seed="4")
    figure = run(exported_code(page))["figure"]
    drawn = figures(page)[2].spec["data"]
    ys = [array(curve["y"]) for curve in drawn]
    np.testing.assert_allclose(
        max(ys, key=len), max((np.asarray(c.y) for c in figure.data), key=len), atol=1e-6
    )


def exported_code(page: AppTest) -> str:
    """The exported code of the page's view."""
    return positions_notebook.lines(page.session_state["kind"], page.session_state)


def test_the_json_round_trips_every_float() -> None:
    capture = load_model("scratch").attend(PLAIN.text)
    read = json.loads(_json(PLAIN, "http://here/?text=cat"))
    for name in ("weights", "q", "k", "v"):
        expected = np.asarray(getattr(capture, name))
        np.testing.assert_array_equal(np.array(read[name], dtype=np.float32), expected)
    assert read["tokens"] == list(capture.tokens)
    assert read["special"][0] is True
    assert read["origin"] == {**capture.origin, "link": "http://here/?text=cat"}


def test_the_menu_offers_a_file_for_a_paper_for_heatmaps_and_not_for_curves() -> None:
    for part, key in (("difference", "difference"), ("profile", "profile")):
        page = open_layers(part=part)
        page.session_state[f"export_{key}"] = True
        page.run()
        assert not page.exception
        labels = [button.proto.label for button in page.get("download_button")]
        assert labels.count("Download for a paper") == (part == "difference")
        assert sum("NPZ" in label for label in labels) == 2  # a capture for each side


def test_the_code_of_a_comparison_states_the_origin_of_both_models() -> None:
    page = open_layers(part="difference", against="model")
    page.session_state["export_difference"] = True
    page.run()
    (lines,) = [code.value for code in page.code if "figure = " in code.value]
    comments = [line for line in lines.splitlines() if line.startswith("# ")]
    assert comments[0] == f"# {citation()}"
    assert "part=difference" in comments[1]
    for line, name in zip(comments[2:], ("scratch", "minilm"), strict=True):
        assert line.startswith(f"# {name}: ")
        assert load_model(name).origin["weights_sha256"] in line


def test_file_names_describe_the_content() -> None:
    assert stem("owner/model", "L3-H1", "a “b” <c>; d? ") == "owner-model_L3-H1_a-b-c-d"
    assert stem("scratch@400", "", "x" * 99) == f"scratch@400_{'x' * 48}"


@pytest.mark.parametrize("path", ["", "layers", "heads", "decoder", "positions"])
def test_every_page_of_figures_has_one_copy_link_button(path: str) -> None:
    page = first_visit(path).run()
    assert not page.exception
    payloads = [component.proto.json for component in page.get("bidi_component")]
    assert sum("Copy link" in data for data in payloads if data) == 1
