"""The mode "A real head" in AppTest: translators, grouped queries."""

import numpy as np

from model import load_model
from tests.model import decoder_checkpoints
from tests.pages.test_calculator import (
    everything_sent,
    expect_no_error,
    expect_weights,
    matrix,
    open_page,
    steps,
)
from web.cache import captures
from web.translators import DEFAULT, write_forced

SOURCE = ["the", "blue", "flower", "is", "not", "small", "</s>"]
FRENCH = ["<s>", "la", "fleur", "bleue", "n'", "est", "pas", "petite"]


def test_the_rows_of_cross_attention_are_the_target_and_its_columns_the_source():
    view = {"mode": "head", "stack": "cross", "layer": "1", "head": "2"}
    page = open_page(**view)
    assert not page.warning and page.address == view
    sent = steps(page)["matrices"]
    assert (sent["weights"]["rows"], sent["weights"]["columns"]) == (FRENCH, SOURCE)
    assert (sent["Q"]["rows"], sent["K"]["rows"]) == (FRENCH, SOURCE)
    written = load_model("phrases").generate(DEFAULT["phrases"])
    expect_weights(page, written.cross.weights[1, 2])


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
    page.text_input(key="layer_source").set_value("the zebra").run()  # it cannot read this
    assert not page.exception and page.info and steps(page) is None


def test_a_head_with_shared_keys_is_rotated_and_masked_like_the_models(tmp_path):
    folder = str(decoder_checkpoints.save("llama", tmp_path / "llama"))
    page = open_page(mode="head", left=folder, text="the animal was", layer="1", head="4")
    capture = captures.capture(folder, "the animal was", None)
    expect_weights(page, capture.weights[1, 4])
    allowed = steps(page)["matrices"]["allowed"]["values"]
    assert allowed == np.tri(len(capture.tokens), dtype=bool).tolist()
    # Six query heads share two key heads: the fifth belongs to the second group.
    assert "H3 to H5 have their own queries and share keys and values" in everything_sent(page)
    k = matrix(page, "K")[:, :4]
    np.testing.assert_allclose(k, capture.k[1][:, 1, :4], rtol=0, atol=1e-4)
    page.button_group(key="mask").set_value("causal").run()
    expect_weights(page, capture.weights[1, 4])
    assert "Your options differ from the model" in everything_sent(page)
