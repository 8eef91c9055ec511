"""The About page in AppTest: live figures, documents, and the sizes of models."""

from functools import partial
from pathlib import Path

import numpy as np

from model.catalogue import encoder_files
from pages.about.sizes import PUBLISHED
from pages.about.training import BEFORE_WIKIPEDIA, MOST_FREQUENT
from tests.pages import visit
from tests.pages.figures import figures, tables, weights, words_on, z
from tests.pages.visit import Visit
from web.view_state.parameters import DEFAULT_TEXT, OTHER_TEXT

ROOT = Path(__file__).parents[2]
COUNTED = [63_082_496, 109_482_240, 335_141_888, 124_439_808, 174_604_259_328]
"""Parameters of Transformer base, BERT base and large, GPT-2 and GPT-3."""

open_page = partial(visit.open_page, "about")


def total(page: Visit) -> int:
    return next(table for table in tables(page) if "part" in table)["parameters"].sum()


def test_the_page_shows_live_figures_the_training_and_the_documents() -> None:
    page = open_page()
    for index, text in enumerate((DEFAULT_TEXT, OTHER_TEXT)):
        np.testing.assert_array_equal(z(page, index), weights("minilm", text)[3, 1])
    history, log = encoder_files.history(), encoder_files.run_log()
    assert f"{history.checkpoints[-1].top1:.1%} of the hidden tokens" in words_on(page)
    charts = [chart.spec["data"] for chart in figures(page)]
    drawn = next(chart for chart in charts if chart[0]["type"] == "scatter")
    assert drawn[0]["y"] == [line.top1 for line in log]
    assert BEFORE_WIKIPEDIA in [line.tokens for line in log]
    text = words_on(page)
    assert "##### What it can do" in text  # a heading of the model card
    assert f"| unigram | | {MOST_FREQUENT:.1%} |" in text
    assert "Silveira et al. 2014" in text.replace("\n", " ")
    assert (ROOT / "NOTICE").read_text("utf-8").strip() in [code.value for code in page.code]
    assert "](model/" not in text and "](../" not in text  # no link to a file of the repository


def test_published_models_are_counted_exactly_and_their_links_restore_them() -> None:
    page = open_page()
    assert page.address == {"kind": "both"}
    for name, count in zip(PUBLISHED, COUNTED, strict=True):
        page.button(key=f"preset_{name}").click().run()
        assert total(page) == count
    page.button(key="preset_GPT-2").click().run()
    for shown in (page, open_page(**page.address)):
        assert total(shown) == COUNTED[3]
        assert f"**GPT-2: {COUNTED[3]:,} parameters.**" in words_on(shown)


def test_impossible_sizes_give_a_message_and_can_be_corrected() -> None:
    assert "must be even" in words_on(open_page(d_model="9", heads="3"))
    page = open_page(heads="7")
    assert "does not split into 7 equal heads" in words_on(page)
    page.button(key="preset_GPT-2").click().run()
    assert "does not split" not in words_on(page) and total(page) == COUNTED[3]
