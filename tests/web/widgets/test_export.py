"""The Python code of a figure draws the same figure."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from pages.positions import notebook as positions_notebook
from tests.pages.conftest import first_visit
from tests.pages.figures import figures
from tests.pages.test_layers import open_page as open_layers
from tests.pages.test_positions import array, trace
from tests.pages.test_positions import open_page as open_positions
from web.widgets.export import _json, stem
from web.widgets.sides import SideRequest

PLAIN = SideRequest("left", "scratch", "The 'quoted' \\ cat sat.", None, False, "show")


def run(lines: str) -> dict[str, object]:
    """The variables after the code has run."""
    variables: dict[str, object] = {}
    exec(compile(lines, "notebook", "exec"), variables)
    return variables


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


@pytest.mark.parametrize(("part", "papers"), [("difference", 1), ("profile", 0)])
def test_the_menu_offers_a_file_for_a_paper_for_heatmaps(part: str, papers: int) -> None:
    page = open_layers(part=part)
    page.session_state[f"export_{part}"] = True
    page.run()
    assert not page.exception
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels.count("Download for a paper") == papers
    assert sum("NPZ" in label for label in labels) == 2  # a capture for each side


def test_file_names_describe_the_content() -> None:
    assert stem("owner/model", "L3-H1", "a “b” <c>; d? ") == "owner-model_L3-H1_a-b-c-d"
    assert stem("scratch@400", "", "x" * 99) == f"scratch@400_{'x' * 48}"


@pytest.mark.parametrize("path", ["", "layers", "heads", "decoder", "positions"])
def test_every_page_of_figures_has_one_copy_link_button(path: str) -> None:
    page = first_visit(path).run()
    assert not page.exception
    payloads = [component.proto.json for component in page.get("bidi_component")]
    assert sum("Copy link" in data for data in payloads if data) == 1
