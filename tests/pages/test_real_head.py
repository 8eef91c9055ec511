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
    address,
    everything_sent,
    expect_no_error,
    matrix,
    open_page,
    steps,
)
from web.cache import captures
from web.widgets.translators import DEFAULT, write_forced

SOURCE = ["the", "blue", "flower", "is", "not", "small", "</s>"]
FRENCH = ["<s>", "la", "fleur", "bleue", "n'", "est", "pas", "petite"]


def weights(page) -> torch.Tensor:
    return matrix(page, "weights").float()


@pytest.mark.parametrize(
    ("stack", "rows", "columns"),
    [("source", SOURCE, SOURCE), ("decoder", FRENCH, FRENCH), ("cross", FRENCH, SOURCE)],
)
def test_weights_of_a_translators_stacks_equal_the_models_own(stack, rows, columns):
    page = open_page(mode="head", stack=stack, layer="1", head="2")
    expect_no_error(page)
    assert not page.warning
    assert address(page) == {"mode": "head", "stack": stack, "layer": "1", "head": "2"}
    sent = steps(page)["matrices"]
    assert (sent["weights"]["rows"], sent["weights"]["columns"]) == (rows, columns)
    assert (sent["Q"]["rows"], sent["K"]["rows"]) == (rows, columns)
    written = load_model("phrases").generate(DEFAULT["phrases"])
    own = getattr(written, "encoder" if stack == "source" else stack).weights[1, 2]
    torch.testing.assert_close(weights(page), torch.tensor(own), rtol=0, atol=1e-6)
    assert sent["allowed"]["values"][0][1] is (stack != "decoder")
    assert "→ **la fleur bleue" in page.markdown[0].value


def test_the_first_selection_is_the_strongest_drawn_link_and_a_blank_is_visible():
    page = open_page(mode="head", stack="cross", translator="dates", source=DEFAULT["dates"])
    expect_no_error(page)
    sent = steps(page)
    assert "␣₁" in sent["matrices"]["K"]["rows"]
    assert len(sent["matrices"]["weights"]["rows"]) == 11  # the whole output
    assert sent["matrices"]["weights"]["shownColumns"] == [0, 16]  # of 17
    drawn = weights(page)[1:, :16].numpy()  # without the special token <s>
    row, column = np.unravel_index(drawn.argmax(), drawn.shape)
    assert (sent["look"]["row"], sent["look"]["column"]) == (row + 1, column)
    page.slider(key="first").set_value(1).run()
    expect_no_error(page)
    assert steps(page)["matrices"]["weights"]["shownColumns"] == [1, 17]


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_works_in_cross_attention(name):
    page = open_page(mode="head", stack="cross", mistake=name)
    assert not page.exception
    assert not page.error
    assert steps(page)["cards"][-1]["id"] == "mistake"


def test_forced_tokens_stay_in_the_link_until_the_text_changes():
    forced = write_forced([(0, "un"), (1, "chat")])
    page = open_page(mode="head", stack="decoder", forced=forced)
    expect_no_error(page)
    assert steps(page)["matrices"]["Q"]["rows"][:3] == ["<s>", "un", "chat"]
    assert address(page)["forced"] == forced
    page.text_input(key="layer_source").set_value("the cat").run()
    expect_no_error(page)
    assert "forced" not in address(page)
    assert steps(page)["matrices"]["Q"]["rows"][:3] == ["<s>", "le", "chat"]


def test_each_translator_has_its_example_and_checkpoints_have_links():
    page = open_page(mode="head", stack="source", translator="phrases@100")
    expect_no_error(page)
    assert address(page)["translator"] == "phrases@100"
    page.selectbox(key="layer_translator").set_value("dates").run()
    expect_no_error(page)
    assert address(page)["source"] == DEFAULT["dates"]


@pytest.mark.parametrize("text", ["", "  ", "the zebra", "x" * 100_000, "<b> $x$", "🎉"])
def test_text_that_a_translator_cannot_read_is_an_error(text):
    page = open_page(mode="head", stack="cross", source=text)
    assert not page.exception
    assert page.error
    assert steps(page) is None


# -- own scale and bias, as in T5 ----------------------------------------------------------------


def biased() -> AttentionCapture:
    """A capture like T5's: unscaled scores, and a bias by distance in each head."""
    capture = load_model("scratch").attend(ANIMAL)
    n_layers, n_heads, n_tokens = capture.weights.shape[:3]
    places = np.arange(n_tokens, dtype=np.float32)
    slopes = np.arange(1, n_heads + 1, dtype=np.float32)[:, None, None] / 8
    bias = -slopes * abs(places[:, None] - places)  # (H, T, T)
    scaled = replace(capture, scale=(1.0,) * n_layers, bias=(bias,) * n_layers)
    weights = [
        [
            torch.tensor(scaled.head(layer, head).masked_scores).softmax(-1).numpy()
            for head in range(n_heads)
        ]
        for layer in range(n_layers)
    ]
    return replace(scaled, weights=np.array(weights))


@pytest.fixture
def like_t5(monkeypatch):
    made = biased()
    monkeypatch.setattr(captures, "capture", lambda *asked: made)
    return made


def test_own_scale_and_bias_are_in_the_cards_and_notes(like_t5):
    page = open_page(mode="head", layer="1", head="2")
    expect_no_error(page)
    (scale,) = (card for card in steps(page)["cards"] if card["id"] == "scale")
    assert scale["lines"][0]["items"] == ["raw_scores", "÷ 1 +", "bias", "=", "scaled_scores"]
    assert any("not with √d_k" in note for note in scale["notes"])
    torch.testing.assert_close(
        matrix(page, "scaled_scores"), matrix(page, "raw_scores") + matrix(page, "bias")
    )
    own = torch.tensor(like_t5.weights[1, 2])
    torch.testing.assert_close(weights(page), own, rtol=0, atol=1e-5)
    page.number_input(key="temperature").set_value(2.0).run()
    expect_no_error(page)
    assert "divides by 1, not by √d_k, and adds its bias" in everything_sent(page)


def test_notes_do_not_mention_the_root_without_the_division(like_t5):
    page = open_page(mode="head", scaled="0")
    expect_no_error(page)
    (scale,) = (card for card in steps(page)["cards"] if card["id"] == "scale")
    assert not any("division by √d_k" in note for note in scale["notes"])
    assert any("own divisor is switched off" in note for note in scale["notes"])


# -- grouped queries -----------------------------------------------------------------------------


def test_a_head_with_shared_keys_is_rotated_and_masked_like_the_models(tmp_path):
    folder = str(decoder_checkpoints.save("llama", tmp_path / "llama"))
    page = open_page(mode="head", left=folder, text="the animal was", layer="1", head="4")
    expect_no_error(page)
    capture = captures.capture(folder, "the animal was", None)
    n_tokens = len(capture.tokens)
    own = torch.tensor(capture.weights[1, 4])
    torch.testing.assert_close(weights(page), own, rtol=0, atol=1e-6)
    allowed = steps(page)["matrices"]["allowed"]["values"]
    assert allowed == np.tril(np.ones((n_tokens, n_tokens), dtype=bool)).tolist()
    words = everything_sent(page)
    assert f"{n_tokens * (n_tokens - 1) // 2} of {n_tokens**2} pairs are hidden" in words
    # Six query heads share two key heads: the fifth belongs to the second group.
    assert "L1·H3, L1·H5 use the same K and V" in words
    k = matrix(page, "K").float()[:, :4]
    torch.testing.assert_close(k, torch.tensor(capture.k[1][:, 1, :4]), rtol=0, atol=1e-4)
    page.button_group(key="mask").set_value("causal").run()
    expect_no_error(page)
    torch.testing.assert_close(weights(page), own, rtol=0, atol=1e-6)
    assert "uses only its own mask" in everything_sent(page)
