"""Training slider and masked-word predictions of the Explore page in AppTest."""

import numpy as np

from model import load_model
from model.catalogue import encoder_files
from model.catalogue.names import checkpoint_names
from tests.pages.figures import payloads, tables, words_on, z
from tests.pages.test_explore import open_page
from tests.pages.visit import Visit

MASKED = "She put the book on the [MASK]."


def sliders(page: Visit) -> list[dict]:
    """The payloads of the training sliders."""
    return [data for data in payloads(page).values() if "stops" in data]


def test_the_training_slider_opens_on_request_and_shows_every_checkpoint() -> None:
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
    for curve in slider["curves"]:  # the axis ends at 0 and 1
        values = np.array(curve.get("values") or curve["heads"])
        assert values.min() >= 0 and values.max() <= 1
    assert "trained from scratch" in words_on(page)
    page.selectbox(key="left").set_value("minilm").run()
    assert not sliders(page)  # it has no checkpoints


def test_the_url_contains_the_slider_if_its_state_is_not_the_default() -> None:
    page = open_page(training="1")
    assert page.address["training"] == "1" and len(sliders(page)) == 1
    page.button(key="fold_training").click().run()
    assert "training" not in page.address and not sliders(page)
    moment = {"left": checkpoint_names()[2]}  # a link to a checkpoint opens the slider
    page = open_page(**moment)
    assert "training" not in page.address and len(sliders(page)) == 1
    page.button(key="fold_training").click().run()
    assert page.address["training"] == "0" and not sliders(page)
    assert not sliders(open_page(**moment, training="0"))
    assert "training = x is not known here" in words_on(open_page(training="x"))
    assert "training" not in open_page(left="minilm", training="1").address


def test_a_link_to_checkpoints_shows_their_weights_side_by_side() -> None:
    checkpoints = encoder_files.history().checkpoints
    name = f"scratch@{checkpoints[2].step}"
    page = open_page(left=name, right=f"scratch@0{checkpoints[1].step}", layer="1", head="2")
    assert (page.address["left"], page.address["right"]) == (name, checkpoint_names()[1])
    left, right = sliders(page)
    assert [(each["side"], each["current"]) for each in (left, right)] == [
        ("left", 2),
        ("right", 1),
    ]
    assert left["hue"] != right["hue"]
    expected = load_model(name).attend(page.text_input(key="text").value).weights[1, 2]
    np.testing.assert_array_equal(z(page, 0), expected)
    assert f"after {checkpoints[2].step:,} training steps" in words_on(page)
    page = open_page(left="scratch@0", right=f"scratch@{checkpoints[-1].step}")
    assert [slider["current"] for slider in sliders(page)] == [0, len(checkpoints) - 1]


def test_each_masked_word_is_predicted_with_probabilities_on_each_side() -> None:
    page = open_page(text=MASKED)
    (table,) = tables(page)
    expected = load_model("scratch").predict(MASKED, top_k=10)[0]
    assert table["token"].tolist() == [token for token, _ in expected]
    np.testing.assert_allclose(table["probability"], [p for _, p in expected], atol=1e-6)
    assert "minilm has no masked-language head" in words_on(page)
    two = "The [MASK] sat on the [MASK]."
    page = open_page(text=two, right="scratch@0")
    expected = [each for name in ("scratch", "scratch@0") for each in load_model(name).predict(two)]
    found = [table["token"].tolist() for table in tables(page)]
    assert found == [[token for token, _ in one] for one in expected]
    page.text_input(key="text").set_value("It was late.").run()
    assert not tables(page)
