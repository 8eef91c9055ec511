"""The model pickers: folders, invalid names, and models with other tokenizers."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from model import load_model
from tests.browser.explore_page import two
from tests.model import checkpoints

pytestmark = pytest.mark.browser

TEXT = "the animal was it"


@pytest.fixture(scope="package")
def folders(tmp_path_factory):
    """Folders of a tiny BERT, whose name contains markup, and of a tiny RoBERTa."""
    root = tmp_path_factory.mktemp("models")
    bert = checkpoints.save("bert", root / "<b>tiny :red[bert] $x$ _y_")
    return {"bert": str(bert), "roberta": str(checkpoints.save("roberta", root / "roberta"))}


def test_a_typed_folder_is_shown_on_its_side(explore, folders):
    explore.open(text=TEXT)
    explore.choose("left", folders["bert"])
    name = Path(folders["bert"]).name  # only the URL contains the parent folders
    title = f"{name} · L1·H1"
    expect(explore.title("left")).to_have_text([title])
    expect(explore.title("right")).to_have_text(["minilm · L3·H1"])
    expect(explore.page.get_by_text("has no L3·H1; L1·H1 is shown.")).to_be_visible()
    explore.address_says(left=folders["bert"], right="minilm")
    weights = load_model(folders["bert"]).attend(TEXT).weights
    explore.hover_head("left", 1, 2, size=(2, 3))
    expect(explore.announcement("left")).to_contain_text(f"{name} L1·H2")
    expect(explore.announcement("left")).to_contain_text(two(weights[1, 2].max()))
    explore.page.reload()  # the link works too
    explore.drawn()
    expect(explore.title("left")).to_have_text([title])


def test_an_invalid_name_gives_one_error_and_the_side_keeps_its_model(explore):
    explore.open(right="scratch-minilm")
    explore.choose("right", "no such model !")
    errors = explore.page.get_by_test_id("stAlertContentError")
    expect(errors).to_have_count(1)
    expect(errors).to_contain_text("no such model !")
    expect(explore.page.get_by_text("scratch-minilm is shown instead.")).to_be_visible()
    expect(explore.title("right")).to_have_text(["scratch-minilm · L3·H1"])


def test_a_typed_alias_is_replaced_by_its_name(explore):
    explore.open(left="minilm")
    explore.choose("left", "scratch@000400")
    expect(explore.title("left")).to_have_text(["scratch@400 · L3·H1"])
    explore.address_says(left="scratch@400")
    expect(explore.box("First model")).to_have_value("scratch@400")
    expect(explore.page.get_by_text("is shown instead")).to_have_count(0)


def test_another_tokenizer_has_its_own_chips_and_picks_match_by_characters(explore, folders):
    explore.open(text=TEXT, left="minilm", right=folders["roberta"], layer="1", head="2")
    assert explore.pieces("left").all_text_contents()[2] == "animal"
    right = explore.pieces("right").all_text_contents()
    assert "animal" not in right
    explore.chips("left").nth(2).click()
    pressed = explore.chips("right").and_(explore.page.locator('[aria-pressed="true"]'))
    expect(pressed).to_have_count(len("animal"))
    assert "".join(pressed.locator(".piece").all_text_contents()) == "animal"
    # In the other direction, the "i" of "animal" picks the whole word.
    expect(explore.tables()).to_have_count(4)
    explore.chips("left").nth(2).click()
    expect(explore.tables()).to_have_count(0)
    explore.chips("right").nth(right.index("a") + 2).click()
    expect(explore.chips("left").nth(2)).to_have_attribute("aria-pressed", "true")


def test_a_typed_name_that_starts_with_the_current_name_is_used(explore):
    explore.open()
    explore.choose("left", "scratch@400")  # pasted over "scratch"
    expect(explore.title("left")).to_have_text(["scratch@400 · L3·H1"])
    explore.choose("left", "scratch")
    expect(explore.title("left")).to_have_text(["scratch · L3·H1"])
    explore.picker("left").press("End")
    explore.page.keyboard.type("@800")  # appended to it
    expect(explore.picker("left")).to_have_value("scratch@800")
    explore.page.keyboard.press("Enter")
    expect(explore.title("left")).to_have_text(["scratch@800 · L3·H1"])
    explore.page.keyboard.press("ControlOrMeta+a")
    explore.page.keyboard.type("minilm")
    explore.page.keyboard.press("Enter")
    expect(explore.title("left")).to_have_text(["minilm · L3·H1"])


def test_typing_in_a_picker_filters_the_models_and_replaces_the_chosen_one(explore):
    explore.open()
    box, page = explore.picker("left"), explore.page
    for typed, found in (("sm", "smollm2"), ("scratch-m", "scratch-minilm")):
        box.click()
        page.keyboard.type(typed)
        expect(box).to_have_value(typed)
        expect(page.get_by_role("option", name=found)).to_be_visible()
        page.keyboard.press("Enter")
        explore.address_says(left=found)
        explore.at_rest()
    box.click()
    page.keyboard.type("scratch@0")
    page.keyboard.press("Enter")
    explore.address_says(left="scratch@0")


def test_a_name_that_no_listed_model_contains_is_still_added(explore):
    explore.open()
    explore.picker("right").click()
    explore.page.keyboard.type("bert-base-case")
    explore.page.keyboard.press("Enter")
    expect(explore.alerts().first).to_contain_text("bert-base-case is not on this machine")
