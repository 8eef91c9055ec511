"""The About page: what attention is, with live pictures, and the texts that come with it."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import DecoderConfig, EncoderConfig
from model.transformer.published import PUBLISHED
from model.transformer.sizes import flops_per_token, parameters
from pages.about.notebook import sizes_lines
from pages.about.presets import presets
from pages.shared import captures
from pages.shared.parameters import DEFAULT_TEXT
from tests.pages.conftest import first_visit
from tests.pages.test_explore import address, words_on
from tests.pages.test_positions import array, specs, z

ROOT = Path(__file__).parents[2]


def test_the_pictures_are_the_models_own() -> None:
    page = first_visit("about").run()
    assert not page.exception
    heads = [("minilm", 3, 1), ("minilm", 0, 2), ("scratch@0", 1, 10), ("scratch", 1, 10)]
    for index, (model, layer, head) in enumerate(heads):
        captured = captures.capture(model, DEFAULT_TEXT, None)
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


# -- sizes ---------------------------------------------------------------------------------------


def about(**wanted: str) -> AppTest:
    page = first_visit("about")
    for name, value in wanted.items():
        page.query_params[name] = value
    return page.run()


def bars(page: AppTest) -> dict[str, int]:
    """By stack, what the bars of the parts come to."""
    spec = next(spec for spec in specs(page) if spec["data"][0]["type"] == "bar")
    return {trace["name"]: int(array(trace["x"]).sum()) for trace in spec["data"]}


def test_a_first_visit_counts_the_papers_base_model_and_builds_it() -> None:
    page = about()
    assert not page.exception
    assert sum(bars(page).values()) == 63_082_496
    said = words_on(page)
    assert "**63,082,496** parameters, which take **252.33 MB (252,329,984 bytes)** in fp32" in said
    assert "our model has **63,082,496** parameters" in said
    assert address(page) == {"kind": "both"}


@pytest.mark.parametrize("name", presets())
def test_a_click_counts_a_known_model_and_its_link_brings_it_back(name: str) -> None:
    known = presets()[name].architecture
    total = sum(sum(parts.values()) for parts in parameters(known).values())
    page = about(kind="encoder", d_model="6", heads="3")
    page.button(key=f"preset_{name}").click().run()
    assert not page.exception
    again = about(**address(page))
    for shown in (page, again):
        assert sum(bars(shown).values()) == total
        assert f"**{total:,}** parameters" in words_on(shown)
    pooler = parameters(known).get("encoder", {}).get("pooler", 0)
    assert f"our model has **{total - pooler:,}** parameters" in words_on(again)


def test_a_translator_that_ships_is_a_click_away(monkeypatch) -> None:
    side = {"d_model": 64, "n_heads": 4, "d_ff": 256, "n_layers": 2}
    shipped = SimpleNamespace(encoder=EncoderConfig(29, **side), decoder=DecoderConfig(40, **side))
    monkeypatch.setattr("pages.about.presets.translation", lambda task: shipped)
    page = about()
    page.button(key="preset_phrases").click().run()
    layers = 2 * (3 * 4 * (64 * 64 + 64) + 2 * (2 * 64 * 256 + 256 + 64) + 5 * 2 * 64)
    assert bars(page).keys() == {"encoder", "decoder"}
    assert sum(bars(page).values()) == (29 + 40) * 64 + layers
    assert address(page)["shared"] == "0" and address(page)["target"] == "40"


def test_arithmetic_and_memory_follow_the_tokens_and_the_type() -> None:
    gpt2 = PUBLISHED["gpt-2"].architecture
    page = about(**GPT_2, tokens="1024", type="fp16")
    flops = sum(flops_per_token(gpt2, 1024)["decoder"].values())
    said = words_on(page)
    assert f"after 1,024 takes **{flops:,}** FLOPs" in said
    assert "cache of 1,024 tokens takes **37.75 MB (37,748,736 bytes)**" in said
    page.number_input(key="size_tokens").set_value(2048).run()
    assert "takes **75.50 MB (75,497,472 bytes)**" in words_on(page)
    assert address(page)["tokens"] == "2048"


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"heads": "7"}, "does not split into 7 heads"),
        ({"d_model": "9", "heads": "3"}, "must be even"),
    ],
)
def test_sizes_of_no_model_are_said_in_words_and_can_be_mended(wanted, words) -> None:
    page = about(**wanted)
    assert not page.exception
    assert words in words_on(page)
    page.button(key="preset_gpt-2").click().run()
    assert words not in words_on(page)
    assert sum(bars(page).values()) == 124_439_808


@pytest.mark.parametrize(
    ("name", "value"), [("kind", "rnn"), ("layers", "0"), ("vocab", "1e9"), ("type", "fp7")]
)
def test_a_link_with_an_unknown_size_says_so_and_counts_the_default(name, value) -> None:
    page = about(**{name: value})
    assert not page.exception
    assert f"The link's {name} = {value} is not known here" in words_on(page)
    assert sum(bars(page).values()) == 63_082_496


def test_the_lines_to_take_away_count_the_same() -> None:
    known = PUBLISHED["base"].architecture
    made: dict = {}
    exec(sizes_lines(known, 5, 7), made)
    assert made["counts"] == parameters(known)
    assert made["built"] == 63_082_496
    assert made["flops"] == flops_per_token(known, 5, 7)


GPT_2 = {
    "kind": "decoder",
    "vocab": "50257",
    "d_model": "768",
    "heads": "12",
    "d_ff": "3072",
    "layers": "12",
    "length": "1024",
    "norm": "pre",
    "positions": "learned",
}
