"""The mode "A whole layer" in AppTest."""

import csv
import io

import pytest
import torch

from model import load_model
from model.capture.module_calls import record_module_calls
from pages.calculator.layer_calculation import LayerCalculation
from pages.calculator.request import StackRequest
from tests.model.conftest import ANIMAL
from tests.pages.test_calculator import (
    address,
    everything_sent,
    expect_no_error,
    matrix,
    open_page,
    steps,
)

IT = 10
WORDS = ["the", "blue", "flower", "is", "not", "small", "</s>"]


def test_the_default_view_agrees_with_the_models_output():
    page = open_page(mode="whole", layer="2", head="5", token=str(IT), dim="12")
    expect_no_error(page)
    assert not page.warning
    model = load_model("scratch")
    layer = model.module.layers[2]
    seen = record_module_calls([layer], lambda: model.hidden_states(ANIMAL))[layer]
    for name, expected in (("X", seen.inputs[0]), ("ffn_norm", seen.output)):
        shown = matrix(page, name)
        torch.testing.assert_close(shown[0].float(), expected[IT, 12:18], rtol=0, atol=1e-5)
    assert steps(page)["matrices"]["ffn_norm"]["rows"] == ["it"]
    assert [card["id"] for card in steps(page)["cards"]][:2] == ["enter", "self_project"]
    assert "64 bits" in everything_sent(page)


def test_the_link_restores_the_view_and_clamps_values():
    view = {
        "mode": "whole",
        "left": "scratch-untrained",
        "layer": "1",
        "head": "3",
        "token": "2",
        "dim": "30",
        "part": "4",
        "unit": "100",
        "look": "self_project_out|self_output.0.2",
        "text": "it was the book",
    }
    page = open_page(**view)
    expect_no_error(page)
    assert address(page) == view
    assert steps(page)["matrices"]["self_output"]["columns"][0] == "30"
    assert steps(page)["look"]["family"] == "self_output"
    far = dict.fromkeys(("token", "dim", "part", "unit", "first"), "9999")
    page = open_page(mode="whole", **far)
    expect_no_error(page)
    assert address(page)["token"] == "15"
    assert address(page)["dim"] == "186"
    assert steps(page)["matrices"]["X"]["columns"] == [str(i) for i in range(186, 192)]


def test_another_token_shows_another_row():
    page = open_page(mode="whole", token="3")
    before = matrix(page, "self_output")
    page.selectbox(key="layer_token").set_value(4).run()
    expect_no_error(page)
    assert address(page)["token"] == "4"
    assert not torch.equal(matrix(page, "self_output"), before)


def test_a_model_of_another_library_is_an_error_and_its_copy_is_offered():
    page = open_page(mode="whole", left="minilm")
    assert not page.exception
    assert "transformers" in page.info[0].value
    assert steps(page) is None
    page.button(key="take_ours").click().run()
    expect_no_error(page)
    assert address(page)["left"] == "scratch-minilm"


@pytest.mark.parametrize("text", ["  ", "word " * 3000, "🎉 <b>x</b> $x$ " * 9])
def test_blank_text_gives_a_hint_and_a_long_text_has_a_bounded_payload(text):
    page = open_page(mode="whole", text=text)
    assert not page.exception
    if not text.strip():
        assert page.info
        return
    expect_no_error(page)
    assert len(steps(page)["matrices"]["self_weights"]["columns"]) <= 16
    assert len(everything_sent(page)) < 400_000


def test_the_csv_contains_the_whole_matrix():
    layer = LayerCalculation(StackRequest("scratch", "encoder", ANIMAL), 2, 5, IT, 0, 0, 0, 0)
    for name, rows, columns in (
        ("self_output", 16, 192),
        ("ffn_W_in", 192, 768),
        ("ffn_gain", 1, 192),
    ):
        table = list(csv.reader(io.StringIO(layer.csv(name).decode())))
        assert (len(table) - 1, len(table[0]) - 1) == (rows, columns)
        assert float(table[1][2]) == pytest.approx(layer.matrices()[name][0, 1])
    weights = list(csv.reader(io.StringIO(layer.csv("self_weights").decode())))
    assert weights[0][1 + IT] == weights[1 + IT][0] == "it"


def test_the_script_computes_the_same_layer(capsys):
    layer = LayerCalculation(
        StackRequest("scratch", "encoder", ANIMAL, "It's 'late'"), 2, 5, 3, 0, 0, 0, 0
    )
    exec(layer.script(None), {})  # not user text
    *_, off = capsys.readouterr().out.split()
    assert float(off) < 1e-5


# -- translators ---------------------------------------------------------------------------------


def test_a_decoder_layer_has_masked_self_attention_and_cross_attention():
    page = open_page(mode="whole", stack="decoder", layer="1", head="2", token="2")
    expect_no_error(page)
    assert address(page).keys() == {"mode", "stack", "layer", "head", "token"}
    sent = steps(page)
    assert sent["matrices"]["cross_weights"]["columns"] == WORDS
    assert sent["matrices"]["self_allowed"]["values"][0][:4] == [True, True, True, False]
    translator = load_model("phrases")
    module = translator.module.decoder.layers[1]
    found = translator.generate(" ".join(WORDS[:-1]))
    ids = torch.tensor([found.encoder.token_ids]), torch.tensor([found.decoder.token_ids])
    with torch.inference_mode():
        seen = record_module_calls([module], lambda: translator.module(*ids))[module]
    shown = matrix(page, "ffn_norm")[0].float()
    torch.testing.assert_close(shown, seen.output[2, :6], rtol=0, atol=1e-5)
    page.segmented_control(key="layer_stack").set_value("source").run()
    expect_no_error(page)
    assert "cross_weights" not in steps(page)["matrices"]
    assert steps(page)["matrices"]["self_weights"]["columns"] == WORDS


def test_an_unknown_word_and_an_empty_text_are_errors():
    page = open_page(mode="whole", stack="source", source="the zebra")
    assert not page.exception
    assert "zebra" in page.error[0].value
    page.text_input(key="layer_source").set_value("").run()
    assert not page.exception
    assert "Type a sentence" in page.error[0].value
