"""The training slider in a browser, its play button and its curves."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from model.catalogue import encoder_files
from tests.browser.explore_page import strongest, truth
from viz import distinct

pytestmark = pytest.mark.browser

CHECKPOINTS = encoder_files.history().checkpoints
NAMES = [*(f"scratch@{each.step}" for each in CHECKPOINTS[:-1]), "scratch"]


def slider(explore, side: str = "left"):
    return explore.part(f"training_{side}").get_by_role("slider", name="Training step")


def legend(explore, side: str = "left"):
    return explore.part(f"training_{side}").locator(".key span")


def expect_checkpoint(explore, index: int, layer: int = 3, head: int = 1) -> None:
    """Wait until the slider, the picker, the heatmap and the overview show a checkpoint."""
    expect(slider(explore)).to_have_value(str(index))
    expect(explore.title("left")).to_contain_text([f"{NAMES[index]} · L{layer}·H{head}"])
    expect(explore.picker("left")).to_have_value(NAMES[index])
    explore.at_rest()
    capture = truth(NAMES[index])
    explore.hover_head("left", layer, head)
    names = distinct(capture.tokens)
    query, key, weight = strongest(capture.weights[layer, head])
    expect(explore.announcement("left")).to_have_text(
        f"{NAMES[index]} L{layer}·H{head}: {names[query]} → {names[key]} {weight}"
    )


def test_the_slider_selects_a_checkpoint_everywhere(explore):
    explore.open().unfold_training()
    slider(explore).focus()
    explore.page.keyboard.press("ArrowLeft")
    explore.page.keyboard.press("ArrowLeft")
    explore.address_says(left=NAMES[-3], right="minilm")
    expect_checkpoint(explore, len(NAMES) - 3)


def test_a_click_on_the_curve_selects_its_checkpoint(explore):
    explore.open().unfold_training()
    explore.part("training_left").locator("rect.stop").nth(1).click()
    explore.address_says(left=NAMES[1])
    expect_checkpoint(explore, 1)


def test_the_labels_of_steps_do_not_overlap_on_a_phone(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}).open().unfold_training()
    names = explore.part("training_left").locator("svg text")
    boxes = [
        (box["x"], box["x"] + box["width"])
        for box in (name.bounding_box() for name in names.all()[2:])  # the first two: 0 and 1
    ]
    assert len(boxes) >= 3
    assert all(end < begin for (_, end), (begin, _) in pairwise(boxes))


def test_play_runs_through_the_training_once_and_stops_at_the_trained_model(explore):
    explore.open(layer="1", head="2").unfold_training()
    explore.part("training_left").get_by_role("button", name="Play the training").click()
    explore.address_says(left=NAMES[0])
    explore.address_says(left=NAMES[-1])
    expect_checkpoint(explore, len(NAMES) - 1, 1, 2)
    expect(explore.part("training_left").get_by_role("button")).to_have_attribute(
        "aria-label", "Play the training"
    )


def test_pause_keeps_the_current_checkpoint(explore):
    explore.open(left=NAMES[0])
    play = explore.part("training_left").get_by_role("button")
    play.click()
    explore.address_says(left=NAMES[1])
    play.click()
    expect(play).to_have_attribute("aria-label", "Play the training")
    explore.at_rest()
    paused_at = int(slider(explore).input_value())
    explore.page.wait_for_timeout(2_500)  # longer than one step of the playback
    expect(slider(explore)).to_have_value(str(paused_at))
    assert paused_at < len(NAMES) - 1


def test_the_curves_show_the_selected_head_at_the_selected_step(explore):
    explore.open(left=NAMES[4])
    for layer, head in ((3, 1), (1, 9)):
        if (layer, head) != (3, 1):
            explore.click_head("left", layer, head)
        share = CHECKPOINTS[4].previous[layer][head]
        expect(legend(explore).nth(1)).to_have_text(
            f"L{layer}·H{head} on the previous token: {share:.2f}"
        )
    right = CHECKPOINTS[4].top1
    expect(legend(explore).nth(0)).to_have_text(f"masked tokens predicted correctly: {right:.3f}")
    of = explore.part("training_left").locator(".of")
    expect(of).to_have_text("Measured on held-out texts, not on this text:")


def test_each_side_has_its_own_slider(explore):
    explore.open(left=NAMES[0], right="scratch")
    expect(slider(explore, "left")).to_have_value("0")
    expect(slider(explore, "right")).to_have_value(str(len(NAMES) - 1))
    expect(slider(explore, "right")).to_have_attribute(
        "aria-valuetext", f"step {CHECKPOINTS[-1].step:,}"
    )
    slider(explore, "right").focus()
    explore.page.keyboard.press("Home")
    explore.address_says(left=NAMES[0], right=NAMES[0])


def test_the_page_predicts_a_masked_word(explore):
    explore.open(text="She put the book on the [MASK].")
    expect(explore.page.get_by_text("scratch's predictions for")).to_be_visible()
    expect(explore.page.get_by_text("minilm has no masked-language head")).to_be_visible()
    expect(explore.tables()).to_have_count(1)
