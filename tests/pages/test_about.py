"""The About page in AppTest: live figures, documents, and the sizes of models."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import DecoderConfig, EncoderConfig
from model.transformer.published import PUBLISHED
from model.transformer.sizes import PLAIN, flops_per_token, parameters
from pages.about.notebook import sizes_lines
from pages.about.presets import presets
from tests.pages.conftest import first_visit
from tests.pages.test_explore import address, words_on
from tests.pages.test_positions import array, specs, z
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


def about(**address: str) -> AppTest:
    page = first_visit("about")
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def bars(page: AppTest) -> dict[str, int]:
    """The total number of parameters in the bars of each stack."""
    spec = next(spec for spec in specs(page) if spec["data"][0]["type"] == "bar")
    return {trace["name"]: int(array(trace["x"]).sum()) for trace in spec["data"]}


def test_the_default_counts_and_builds_the_papers_base_model() -> None:
    page = about()
    assert not page.exception
    assert sum(bars(page).values()) == 63_082_496
    text = words_on(page)
    assert "**63,082,496** parameters, which take **252.33 MB (252,329,984 bytes)** in fp32" in text
    assert "our model with these sizes has **63,082,496** parameters" in text
    assert address(page) == {"kind": "both"}


@pytest.mark.parametrize("name", presets())
def test_a_preset_counts_a_known_model_and_its_link_restores_it(name: str) -> None:
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
    if known.variants == PLAIN:
        assert f"our model with these sizes has **{total - pooler:,}** parameters" in words_on(
            again
        )
    else:
        assert "this model is only counted" in words_on(again)


def test_a_preset_counts_a_shipped_translator(monkeypatch) -> None:
    side = {"d_model": 64, "n_heads": 4, "d_ff": 256, "n_layers": 2}
    shipped = SimpleNamespace(encoder=EncoderConfig(29, **side), decoder=DecoderConfig(40, **side))
    monkeypatch.setattr("pages.about.presets.translation", lambda task: shipped)
    page = about()
    page.button(key="preset_phrases").click().run()
    layers = 2 * (3 * 4 * (64 * 64 + 64) + 2 * (2 * 64 * 256 + 256 + 64) + 5 * 2 * 64)
    assert bars(page).keys() == {"encoder", "decoder"}
    assert sum(bars(page).values()) == (29 + 40) * 64 + layers
    assert address(page)["shared"] == "0" and address(page)["target"] == "40"


def test_flops_and_memory_depend_on_the_tokens_and_the_type() -> None:
    gpt2 = PUBLISHED["gpt-2"].architecture
    page = about(**GPT_2, tokens="1024", type="fp16")
    flops = sum(flops_per_token(gpt2, 1024)["decoder"].values())
    text = words_on(page)
    assert f"after 1,024 takes **{flops:,}** FLOPs" in text
    assert "cache of 1,024 tokens takes **37.75 MB (37,748,736 bytes)**" in text
    page.number_input(key="size_tokens").set_value(2048).run()
    assert "takes **75.50 MB (75,497,472 bytes)**" in words_on(page)
    assert address(page)["tokens"] == "2048"


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
    assert sum(bars(page).values()) == 124_439_808


@pytest.mark.parametrize(
    ("name", "value"), [("kind", "rnn"), ("layers", "0"), ("vocab", "1e9"), ("type", "fp7")]
)
def test_an_unknown_size_in_a_link_gives_a_notice_and_the_default(name, value) -> None:
    page = about(**{name: value})
    assert not page.exception
    assert f"The link's {name} = {value} is not known here" in words_on(page)
    assert sum(bars(page).values()) == 63_082_496


def test_experts_and_their_router_are_rows_of_the_table() -> None:
    page = about(kind="decoder", experts="8", active="2", norm="pre")
    plain = about(kind="decoder", norm="pre")

    def table(page: AppTest) -> Any:
        tables = (frame.value for frame in page.dataframe)
        return next(t for t in tables if "part" in t).set_index("part")["parameters"]

    assert table(page)["router"] == 6 * 512 * 8
    assert table(page)["feed-forward"] == 8 * table(plain)["feed-forward"]
    page.number_input(key="size_active").set_value(9).run()
    assert "1 to 8 experts" in words_on(page)


def test_the_exported_code_of_a_newer_model_gives_the_same_counts() -> None:
    known = PUBLISHED["mixtral"].architecture
    variables: dict = {}
    exec(sizes_lines(known, 5, 0), variables)
    assert variables["counts"] == parameters(known)
    assert variables["cached"] == {"attention": 2 * 32 * 5 * 8 * 128}


def test_the_exported_code_gives_the_same_counts() -> None:
    known = PUBLISHED["base"].architecture
    variables: dict = {}
    exec(sizes_lines(known, 5, 7), variables)
    assert variables["counts"] == parameters(known)
    assert variables["built"] == 63_082_496
    assert variables["flops"] == flops_per_token(known, 5, 7)


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
