"""Training slider and masked-word predictions of the Explore page in AppTest."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from model.catalogue import encoder_files
from model.catalogue.names import checkpoint_names
from tests.pages.test_explore import address, heatmap, open_page, words_on
from web.cache import captures

MASKED = "She put the book on the [MASK]."


def sliders(page: AppTest) -> list[dict]:
    """The payloads of the training sliders."""
    payloads = (component.proto.json for component in page.get("bidi_component"))
    found = [
        json.loads(data)[0] for data in payloads if data
    ]  # the payload of other components is bytes
    return [data for data in found if "stops" in data]


def tables(page: AppTest) -> list:
    return [frame.value for frame in page.dataframe if "probability" in frame.value]


def test_the_trained_encoder_has_a_training_slider() -> None:
    page = open_page()
    assert not sliders(page)  # it is not sent before it is opened
    page.button(key="fold_training").click().run()
    (slider,) = sliders(page)
    checkpoints = encoder_files.history().checkpoints
    assert slider["stops"] == [f"{checkpoint.step:,}" for checkpoint in checkpoints]
    assert slider["current"] == len(checkpoints) - 1
    right, previous, following = slider["curves"]
    assert right["values"] == [checkpoint.top1 for checkpoint in checkpoints]
    assert previous["heads"] == [checkpoint.previous for checkpoint in checkpoints]
    assert following["heads"] == [checkpoint.next for checkpoint in checkpoints]
    assert "trained from scratch" in words_on(page)


def test_every_curve_fits_the_axis_from_0_to_1() -> None:
    """All values are shares: a loss of 4 nats would not fit."""
    page = open_page()
    page.button(key="fold_training").click().run()
    (slider,) = sliders(page)
    for curve in slider["curves"]:
        values = np.array(curve.get("values") or curve["heads"])
        assert values.min() >= 0
        assert values.max() <= 1
    assert "held-out text" in slider["strings"]["of"]


@pytest.mark.parametrize("left", ["minilm", "scratch-minilm", "scratch-untrained"])
def test_other_models_have_no_slider(left: str) -> None:
    assert not sliders(open_page(left=left))


def test_the_url_contains_the_slider_if_its_state_is_not_the_default() -> None:
    page = open_page()
    page.button(key="fold_training").click().run()
    assert address(page)["training"] == "1"
    page = open_page(**address(page))  # a reload, a link, or a new session after a restart
    assert len(sliders(page)) == 1
    page.button(key="fold_training").click().run()
    assert "training" not in address(page) and not sliders(page)
    moment = {"left": checkpoint_names()[2]}  # a link to a checkpoint opens the slider
    page = open_page(**moment)
    assert "training" not in address(page) and len(sliders(page)) == 1
    page.button(key="fold_training").click().run()
    assert address(page)["training"] == "0" and not sliders(page)
    assert not sliders(open_page(**moment, training="0"))
    assert "training = x is not known here" in words_on(open_page(training="x")).replace("\\", "")
    assert "training" not in address(
        open_page(left="minilm", training="1")
    )  # this model has no slider


def test_a_link_to_a_checkpoint_shows_that_checkpoint() -> None:
    name = f"scratch@{encoder_files.history().checkpoints[2].step}"
    page = open_page(left=name, layer="1", head="2")
    assert not page.exception
    assert address(page)["left"] == name
    assert sliders(page)[0]["current"] == 2
    expected = load_model(name).attend(page.text_input(key="text").value).weights[1, 2]
    np.testing.assert_array_equal(heatmap(page, 0), expected)
    assert f"after {encoder_files.history().checkpoints[2].step:,} training steps" in words_on(page)


def test_the_last_step_and_a_step_with_leading_zeros_are_checkpoints() -> None:
    _, early, *_, last = (checkpoint.step for checkpoint in encoder_files.history().checkpoints)
    page = open_page(left=f"scratch@{last}", right=f"scratch@0{early}")
    assert not page.exception
    left, right = sliders(page)
    assert left["current"] == len(left["stops"]) - 1
    assert right["stops"][right["current"]] == str(early)


def test_untrained_and_trained_weights_can_be_shown_side_by_side() -> None:
    page = open_page(left="scratch@0", right="scratch")
    first, last = sliders(page)
    assert (first["side"], first["current"]) == ("left", 0)
    assert (last["side"], last["current"]) == ("right", len(last["stops"]) - 1)
    assert first["hue"] != last["hue"]


def test_a_step_without_a_checkpoint_gives_a_message() -> None:
    page = open_page(left="scratch@123")
    assert not page.exception
    words = words_on(page)
    assert "There is no checkpoint of step 123" in words
    assert "scratch is shown instead" in words


# -- [MASK] --------------------------------------------------------------------------------------


def test_a_masked_word_is_predicted_with_probabilities() -> None:
    page = open_page(text=MASKED)
    (table,) = tables(page)
    expected = load_model("scratch").predict(MASKED, top_k=10)[0]
    assert table["token"].tolist() == [token for token, _ in expected]
    np.testing.assert_allclose(table["probability"], [p for _, p in expected], atol=1e-6)
    assert "minilm has no masked-language head" in words_on(page)


def test_each_mask_has_a_table_on_each_side() -> None:
    page = open_page(text="The [MASK] sat on the [MASK].", right="scratch@0")
    found = tables(page)
    assert len(found) == 4
    first, second = load_model("scratch").predict("The [MASK] sat on the [MASK].")
    assert found[0]["token"].tolist() == [token for token, _ in first]
    assert found[1]["token"].tolist() == [token for token, _ in second]
    assert found[0]["token"].tolist() != found[2]["token"].tolist()


def test_a_sentence_without_a_mask_has_no_predictions() -> None:
    page = open_page()
    assert not tables(page)
    assert "masked-language head" not in words_on(page)


def test_predictions_are_shared_by_all_sessions() -> None:
    assert captures.mask_predictions("scratch", MASKED, None, 10) is captures.mask_predictions(
        "scratch", MASKED, None, 10
    )
