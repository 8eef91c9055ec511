"""Grids of the Calculator: typing, paste, focus."""

import pytest

pytestmark = pytest.mark.browser

OWN = "calculator?mode=own"


def test_a_typed_number_is_sent_with_its_grid(board):
    board.draw(OWN, "grids")
    cell = board.part("grids").locator("[data-grid=q] td input").first
    cell.fill("-3,5")
    cell.press("Enter")
    cells = {
        "q": [["-3,5", "0"], ["0", "1"]],
        "k": [["1", "0"], ["0.5", "0.5"]],
        "v": [["2", "0"], ["1", "1"]],
    }
    names = {"tokens": ["I", "think"], "sources": []}
    board.expect_event("edited", {"number": 1, "fields": {"cells": cells, "names": names}})
