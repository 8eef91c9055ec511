"""The Python code of a figure draws the same figure."""

import json

import numpy as np
import pytest

from model import load_model
from tests.pages.test_layers import open_page as open_layers
from web.subject import Subject
from web.widgets.export import _json

PLAIN = Subject("left", "scratch", "The 'quoted' \\ cat sat.", None, False, "show")


def test_the_json_round_trips_every_float() -> None:
    capture = load_model("scratch").attend(PLAIN.text)
    read = json.loads(_json(PLAIN, "http://here/?text=cat"))
    for name in ("weights", "q", "k", "v"):
        expected = np.asarray(getattr(capture, name))
        np.testing.assert_array_equal(np.array(read[name], dtype=np.float32), expected)
    assert read["tokens"] == list(capture.tokens)
    assert read["special"][0] is True
    assert read["origin"] == {**capture.origin, "link": "http://here/?text=cat"}


@pytest.mark.parametrize(
    ("part", "menu", "captures"), [("difference", "difference", 2), ("layers", "layer_right", 1)]
)
def test_a_menu_offers_a_file_for_a_paper_and_each_capture(
    part: str, menu: str, captures: int
) -> None:
    page = open_layers(part=part)
    page.session_state[f"menu_{menu}"] = True
    page.run()
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels.count("Download for a paper") == 1
    assert sum("NPZ" in label for label in labels) == captures
