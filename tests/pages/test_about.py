"""The About page in AppTest: live figures, documents, and the sizes of models."""

from functools import partial
from pathlib import Path

import numpy as np

from model.catalogue import encoder_files
from tests.pages import visit
from tests.pages.figures import figures, tables, words_on, z
from tests.pages.visit import Visit
from web.cache import captures
from web.view_state.parameters import DEFAULT_TEXT

ROOT = Path(__file__).parents[2]
COUNTED = {
    "base": 63_082_496,
    "tutorial": 108_094_464,
    "bert-base": 109_482_240,
    "bert-large": 335_141_888,
    "gpt-2": 124_439_808,
    "gpt-3": 174_604_259_328,
}

open_page = partial(visit.open_page, "about")


def total(page: Visit) -> int:
    """The sum of the table of the parts."""
    return next(table for table in tables(page) if "part" in table)["parameters"].sum()


def test_the_page_shows_live_figures_and_the_training() -> None:
    page = open_page()
    heads = [("minilm", 3, 1), ("minilm", 0, 2), ("scratch@0", 1, 10), ("scratch", 1, 10)]
    for index, (model, layer, head) in enumerate(heads):
        captured = captures.capture(model, DEFAULT_TEXT, None)
        np.testing.assert_array_equal(z(page, index), captured.weights[layer, head])
    history, log = encoder_files.history(), encoder_files.run_log()
    shown = words_on(page)
    assert f"{history.checkpoints[-1].top1:.1%} of the hidden tokens" in shown
    assert f": {history.tokens / 1e6:.0f} million tokens" in shown
    assert f"{history.passages:,} passages" in shown
    charts = [chart.spec["data"] for chart in figures(page)]
    drawn = next(chart for chart in charts if chart[0]["type"] == "scatter")
    assert drawn[0]["y"] == [line.valid_loss for line in log]
    assert drawn[1]["y"] == [line.top1 for line in log]


def test_the_page_contains_the_model_card_the_notice_and_the_authors_of_the_corpus() -> None:
    page = open_page()
    text = words_on(page)
    assert "##### What it can do" in text  # a heading of the model card
    for named in ("en_ewt-ud-dev.conllu", "Silveira et al. 2014", "CC BY-SA 4.0"):
        assert named in text.replace("\n", " ")
    assert (ROOT / "NOTICE").read_text("utf-8").strip() in [code.value for code in page.code]
    assert "](model/" not in text and "](../" not in text  # no link to a file of the repository
    (formula,) = [each.value for each in page.markdown if "softmax(" in each.value]
    formula = formula[formula.index("softmax(") :].split(")")[0]
    assert "√d_k" in formula and " " not in formula  # only spaces that do not break


def test_published_models_are_counted_exactly_and_their_links_restore_them() -> None:
    page = open_page()
    assert total(page) == COUNTED["base"] and page.address == {"kind": "both"}
    for name, count in COUNTED.items():
        page.button(key=f"preset_{name}").click().run()
        assert not page.exception
        for shown in (page, open_page(**page.address)):
            assert total(shown) == count
            assert f"**{count:,}** parameters" in words_on(shown)
    (table,) = (table for table in tables(page) if "counted" in table)
    assert table["counted"].tolist() == list(COUNTED.values())


def test_impossible_and_unknown_sizes_give_a_message_and_can_be_corrected() -> None:
    assert "must be even" in words_on(open_page(d_model="9", heads="3"))
    page = open_page(heads="7")
    assert "does not split into 7 equal heads" in words_on(page)
    page.button(key="preset_gpt-2").click().run()
    assert "does not split" not in words_on(page) and total(page) == COUNTED["gpt-2"]
    unknown = {"kind": "rnn", "layers": "0", "vocab": "1e9"}
    page = open_page(**unknown)
    for name, value in unknown.items():
        assert f"The link's {name} = {value} is not known here" in words_on(page)
    assert total(page) == COUNTED["base"]
