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


@pytest.mark.parametrize(("part", "papers"), [("difference", 1), ("profile", 0)])
def test_the_menu_offers_a_file_for_a_paper_for_heatmaps(part: str, papers: int) -> None:
    page = open_layers(part=part)
    page.session_state[f"menu_{part}"] = True
    page.run()
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels.count("Download for a paper") == papers
    assert sum("NPZ" in label for label in labels) == 2  # a capture for each side
