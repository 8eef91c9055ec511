"""The About page in AppTest: live figures, documents, and the sizes of models."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import first_visit
from tests.pages.test_explore import address, words_on
from tests.pages.test_positions import z
from web.cache import captures
from web.view_state.parameters import DEFAULT_TEXT

ROOT = Path(__file__).parents[2]


def test_the_figures_show_the_models_weights() -> None:
    page = first_visit("about").run()
    assert not page.exception
    heads = [("minilm", 3, 1), ("minilm", 0, 2), ("scratch@0", 1, 10), ("scratch", 1, 10)]
    for index, (model, layer, head) in enumerate(heads):
        captured = captures.capture(model, DEFAULT_TEXT, None)
        np.testing.assert_array_equal(z(page, index), captured.weights[layer, head])


def test_the_formula_of_attention_stays_on_one_line() -> None:
    (text,) = [
        each.value for each in first_visit("about").run().markdown if "softmax(" in each.value
    ]
    formula = text[text.index("softmax(") :].split(")")[0]
    assert "√d_k" in formula and " " not in formula  # only spaces that do not break


def test_the_page_contains_the_model_card_and_the_notice() -> None:
    page = first_visit("about").run()
    text = words_on(page)
    assert "##### What it can do" in text  # a heading of the model card
    assert "UD_English-EWT" in text
    assert (ROOT / "NOTICE").read_text("utf-8").strip() in [code.value for code in page.code]
    assert "](model/" not in text and "](../" not in text  # no link to a file of the repository


def test_the_logo_draws_its_name_as_paths_and_needs_no_font() -> None:
    logo = (ROOT / "web" / "assets" / "logo.svg").read_text("utf-8")
    assert "<text" not in logo and "font" not in logo.replace("no font of the page", "")


# -- sizes ---------------------------------------------------------------------------------------

COUNTED = {
    "base": 63_082_496,
    "tutorial": 108_094_464,
    "bert-base": 109_482_240,
    "bert-large": 335_141_888,
    "gpt-2": 124_439_808,
    "gpt-3": 174_604_259_328,
}


def about(**address: str) -> AppTest:
    page = first_visit("about")
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def total(page: AppTest) -> int:
    """The sum of the table of the parts."""
    tables = (frame.value for frame in page.dataframe)
    return next(table for table in tables if "part" in table)["parameters"].sum()


@pytest.mark.parametrize("name", COUNTED)
def test_a_published_model_is_counted_exactly_and_its_link_restores_it(name: str) -> None:
    page = about(kind="encoder", d_model="6", heads="3")
    page.button(key=f"preset_{name}").click().run()
    assert not page.exception
    for shown in (page, about(**address(page))):
        assert total(shown) == COUNTED[name]
        assert f"**{COUNTED[name]:,}** parameters" in words_on(shown)
    (table,) = (frame.value for frame in page.dataframe if "counted" in frame.value)
    assert table["counted"].tolist() == list(COUNTED.values())


def test_the_default_is_the_papers_base_model() -> None:
    page = about()
    assert not page.exception
    assert total(page) == COUNTED["base"]
    assert address(page) == {"kind": "both"}


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"heads": "7"}, "does not split into 7 equal heads"),
        ({"d_model": "9", "heads": "3"}, "must be even"),
    ],
)
def test_impossible_sizes_give_a_message_and_can_be_corrected(sizes, message) -> None:
    page = about(**sizes)
    assert not page.exception
    assert message in words_on(page)
    page.button(key="preset_gpt-2").click().run()
    assert message not in words_on(page)
    assert total(page) == COUNTED["gpt-2"]


@pytest.mark.parametrize(("name", "value"), [("kind", "rnn"), ("layers", "0"), ("vocab", "1e9")])
def test_an_unknown_size_in_a_link_gives_a_notice_and_the_default(name, value) -> None:
    page = about(**{name: value})
    assert not page.exception
    assert f"The link's {name} = {value} is not known here" in words_on(page)
    assert total(page) == COUNTED["base"]
