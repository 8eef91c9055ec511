"""The mode "A real head" in AppTest: translators, own scales and biases, grouped queries."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from model import AttentionCapture, load_model
from model.calculator import MISTAKES
from tests.model import decoder_checkpoints
from tests.model.conftest import ANIMAL
from tests.pages.test_calculator import (
    card,
    everything_sent,
    expect_no_error,
    expect_weights,
    matrix,
    open_page,
    steps,
)
from web.cache import captures
from web.widgets.translators import DEFAULT, write_forced

SOURCE = ["the", "blue", "flower", "is", "not", "small", "</s>"]
FRENCH = ["<s>", "la", "fleur", "bleue", "n'", "est", "pas", "petite"]


@pytest.mark.parametrize(
    ("stack", "rows", "columns"),
    [("source", SOURCE, SOURCE), ("decoder", FRENCH, FRENCH), ("cross", FRENCH, SOURCE)],
)
def test_weights_of_a_translators_stacks_equal_the_models_own(stack, rows, columns):
    view = {"mode": "head", "stack": stack, "layer": "1", "head": "2"}
    page = open_page(**view)
    assert not page.warning and page.address == view
    sent = steps(page)["matrices"]
    assert (sent["weights"]["rows"], sent["weights"]["columns"]) == (rows, columns)
    assert (sent["Q"]["rows"], sent["K"]["rows"]) == (rows, columns)
    written = load_model("phrases").generate(DEFAULT["phrases"])
    own = getattr(written, "encoder" if stack == "source" else stack)
    expect_weights(page, own.weights[1, 2])
    assert sent["allowed"]["values"][0][1] is (stack != "decoder")
    assert "→ **la fleur bleue" in page.markdown[0].value
    for name in MISTAKES if stack == "cross" else ():
        page.selectbox(key="mistake").set_value(name).run()
        assert not page.exception and not page.error
        assert steps(page)["cards"][-1]["id"] == "mistake"


def test_the_first_selection_is_the_strongest_drawn_link_and_a_blank_is_visible():
    page = open_page(mode="head", stack="cross", translator="dates", source=DEFAULT["dates"])
    expect_no_error(page)
    sent = steps(page)
    assert "␣₁" in sent["matrices"]["K"]["rows"]
    assert len(sent["matrices"]["weights"]["rows"]) == 11  # the whole output
    assert sent["matrices"]["weights"]["shownColumns"] == [0, 16]  # of 17
    drawn = matrix(page, "weights")[1:, :16].numpy()  # without the special token <s>
    row, column = np.unravel_index(drawn.argmax(), drawn.shape)
    assert (sent["look"]["row"], sent["look"]["column"]) == (row + 1, column)
    page.slider(key="first").set_value(1).run()
    expect_no_error(page)
    assert steps(page)["matrices"]["weights"]["shownColumns"] == [1, 17]


def test_forced_tokens_stay_in_the_link_until_the_text_changes():
    forced = write_forced([(0, "un"), (1, "chat")])
    page = open_page(mode="head", stack="decoder", forced=forced)
    expect_no_error(page)
    assert steps(page)["matrices"]["Q"]["rows"][:3] == ["<s>", "un", "chat"]
    assert page.address["forced"] == forced
    page.text_input(key="layer_source").set_value("the cat").run()
    expect_no_error(page)
    assert "forced" not in page.address
    assert steps(page)["matrices"]["Q"]["rows"][:3] == ["<s>", "le", "chat"]
    for text in ("", "the zebra", "x" * 100_000, "<b> $x$", "🎉"):  # it cannot read these
        page.text_input(key="layer_source").set_value(text).run()
        assert not page.exception and page.error and steps(page) is None


def test_each_translator_has_its_example_and_checkpoints_have_links():
    page = open_page(mode="head", stack="source", translator="phrases@100")
    expect_no_error(page)
    assert page.address["translator"] == "phrases@100"
    page.selectbox(key="layer_translator").set_value("dates").run()
    expect_no_error(page)
    assert page.address["source"] == DEFAULT["dates"]


@pytest.fixture
def like_t5(monkeypatch) -> AttentionCapture:
    """A capture like T5's: unscaled scores, and a bias by distance in each head."""
    capture = load_model("scratch").attend(ANIMAL)
    n_layers, n_heads, n_tokens = capture.weights.shape[:3]
    places = np.arange(n_tokens, dtype=np.float32)
    slopes = np.arange(1, n_heads + 1, dtype=np.float32)[:, None, None] / 8
    bias = -slopes * abs(places[:, None] - places)  # (H, T, T)
    scaled = replace(capture, scale=(1.0,) * n_layers, bias=(bias,) * n_layers)
    masked = [
        [scaled.head(layer, head).masked_scores for head in range(n_heads)]
        for layer in range(n_layers)
    ]
    made = replace(scaled, weights=torch.tensor(np.array(masked)).softmax(-1).numpy())
    monkeypatch.setattr(captures, "capture", lambda *asked: made)
    return made


def test_own_scale_and_bias_are_in_the_cards_and_notes(like_t5):
    page = open_page(mode="head", layer="1", head="2")
    expect_weights(page, like_t5.weights[1, 2], atol=1e-5)
    scale = card(page, "scale")
    assert scale["lines"][0]["items"] == ["raw_scores", "÷ 1 +", "bias", "=", "scaled_scores"]
    assert any("not with √d_k" in note for note in scale["notes"])
    biased = matrix(page, "raw_scores") + matrix(page, "bias")
    torch.testing.assert_close(matrix(page, "scaled_scores"), biased)
    page.number_input(key="temperature").set_value(2.0).run()
    expect_no_error(page)
    assert "divides by 1, not by √d_k, and adds its bias" in everything_sent(page)
    page = open_page(mode="head", scaled="0")
    expect_no_error(page)
    notes = card(page, "scale")["notes"]
    assert not any("division by √d_k" in note for note in notes)
    assert any("own divisor is switched off" in note for note in notes)


def test_a_head_with_shared_keys_is_rotated_and_masked_like_the_models(tmp_path):
    folder = str(decoder_checkpoints.save("llama", tmp_path / "llama"))
    page = open_page(mode="head", left=folder, text="the animal was", layer="1", head="4")
    capture = captures.capture(folder, "the animal was", None)
    n_tokens = len(capture.tokens)
    expect_weights(page, capture.weights[1, 4])
    allowed = steps(page)["matrices"]["allowed"]["values"]
    assert allowed == np.tril(np.ones((n_tokens, n_tokens), dtype=bool)).tolist()
    words = everything_sent(page)
    assert f"{n_tokens * (n_tokens - 1) // 2} of {n_tokens**2} pairs are hidden" in words
    # Six query heads share two key heads: the fifth belongs to the second group.
    assert "L1·H3, L1·H5 use the same K and V" in words
    k = matrix(page, "K")[:, :4]
    np.testing.assert_allclose(k, capture.k[1][:, 1, :4], rtol=0, atol=1e-4)
    page.button_group(key="mask").set_value("causal").run()
    expect_weights(page, capture.weights[1, 4])
    assert "uses only its own mask" in everything_sent(page)
