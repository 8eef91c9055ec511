"""The files that a figure's menu offers."""

import numpy as np
import pytest

from model import AttentionCapture, load_model
from tests.pages.test_layers import open_page as open_layers
from web.subject import Subject
from web.widgets.export import _npz

PLAIN = Subject("left", "scratch", "The 'quoted' \\ cat sat.", None, False, "show")


def test_a_saved_capture_states_the_link_of_its_page() -> None:
    capture = load_model("scratch").attend(PLAIN.text)
    read = AttentionCapture.from_npz(_npz(PLAIN, "http://here/?text=cat"))
    np.testing.assert_array_equal(read.weights, capture.weights)
    assert read.origin == {**capture.origin, "link": "http://here/?text=cat"}


@pytest.mark.parametrize(
    ("part", "menu", "captures"), [("difference", "difference", 2), ("layers", "layers", 1)]
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
