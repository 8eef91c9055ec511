"""The About page: what attention is, with live pictures, and the texts that come with it."""

from pathlib import Path

import numpy as np

from pages.shared import cache
from pages.shared.parameters import DEFAULT_TEXT
from tests.pages.conftest import first_visit
from tests.pages.test_explore import words_on
from tests.pages.test_positions import z

ROOT = Path(__file__).parents[2]


def test_the_pictures_are_the_models_own() -> None:
    page = first_visit("about").run()
    assert not page.exception
    heads = [("minilm", 3, 1), ("minilm", 0, 2), ("scratch@0", 1, 10), ("scratch", 1, 10)]
    for index, (model, layer, head) in enumerate(heads):
        captured = cache.capture(model, DEFAULT_TEXT, None)
        np.testing.assert_array_equal(z(page, index), captured.weights[layer, head])


def test_the_texts_that_it_names_are_there_to_be_read() -> None:
    page = first_visit("about").run()
    said = words_on(page)
    assert "##### What it can do" in said  # of the model card, below the page's own headings
    assert "UD_English-EWT" in said
    assert (ROOT / "NOTICE").read_text("utf-8").strip() in [code.value for code in page.code]
    assert "](model/" not in said and "](../" not in said  # nothing leads to a file


def test_the_logos_name_is_drawn_and_asks_for_no_font() -> None:
    logo = (ROOT / "pages" / "assets" / "logo.svg").read_text("utf-8")
    assert "<text" not in logo and "font" not in logo.replace("no font of the page", "")
