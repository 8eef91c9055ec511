"""Part Translate of the Decoder page in a browser."""

from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, expect

from model import load_model
from model.catalogue.models import load_translator
from tests.browser.calculator_page import CalculatorPage, formatted
from tests.browser.visitor import Visitor
from viz import provenance
from web.widgets.translators import DEFAULT

pytestmark = pytest.mark.browser


class TranslatePage(Visitor):
    """Part Translate of one visitor's Decoder page."""

    path = "/decoder"

    def open(self, **address: str) -> "TranslatePage":
        self.go(**address)
        expect(self.summary()).not_to_be_empty()
        self.at_rest()
        return self

    def summary(self) -> Locator:
        return self.page.locator(".decoding .summary")

    def slider(self) -> Locator:
        return self.page.get_by_role("slider", name="Step", exact=True)

    def target_tokens(self) -> list[str]:
        return self.page.locator(".decoding text.target").all_text_contents()


@pytest.fixture
def translate(visit, base) -> TranslatePage:
    """A visitor who has not opened the page yet."""
    return visit(base, TranslatePage, viewport={"width": 1440, "height": 900})


def test_stepping_sends_no_request_and_the_url_restores_the_step(translate, visit, base):
    translate.open()
    assert translate.target_tokens()[1:5] == ["la", "fleur", "bleue", "n'"]
    box = translate.page.locator(".decoding").bounding_box()
    assert box["y"] + box["height"] < 900
    translate.slider().focus()
    messages = len(translate.sent)
    for _ in range(6):
        translate.page.keyboard.press("ArrowLeft")
    expect(translate.summary()).to_contain_text("Writes “bleue”. At “fleur”")
    translate.address_says(step="2")
    assert translate.target_tokens() == ["<s>", "la", "fleur", "bleue"]
    assert len(translate.sent) == messages
    height = translate.page.locator(".decoding").bounding_box()["height"]
    assert height == box["height"]  # the height is stable
    again = visit(base, TranslatePage).open(**translate.address())
    expect(again.summary()).to_contain_text("Writes “bleue”")
    assert not translate.complaints + again.complaints


def test_a_forced_token_changes_the_translation_until_it_is_removed(translate):
    translate.open(text="the blue flower", step="1")
    expect(translate.summary()).to_contain_text("Writes “fleur”")
    translate.page.locator(".decoding .token").nth(1).click()
    expect(translate.page.get_by_text("Forced:")).to_be_visible()
    translate.at_rest()
    translate.address_says(step="1")
    assert "1~" in translate.address()["forced"]
    expect(translate.summary()).not_to_contain_text("fleur")
    translate.page.get_by_role("button", name="Remove the forced tokens").click()
    translate.page.locator(".decoding").get_by_text("fleur", exact=True).first.wait_for()
    translate.address_says(forced=None)


def test_play_runs_to_the_end(translate):
    translate.open(text="the cat")
    translate.page.get_by_role("button", name="Play the steps").click()
    expect(translate.summary()).to_contain_text("Writes “le”")
    expect(translate.page.locator(".decoding output")).to_have_text("all steps")


def test_the_saved_picture_shows_the_crossing_of_the_alignment(translate, tmp_path):
    translate.open(text="the blue flower")
    save = translate.page.get_by_role("button", name="Save the picture as SVG")
    download, picture = translate.download(save.click)
    assert download.suggested_filename == "headlight_phrases_the-blue-flower.svg"
    (tmp_path / "picture.svg").write_bytes(picture)
    found = provenance(tmp_path / "picture.svg")
    assert found.items() >= load_translator("phrases").origin.items()
    assert found["source"] == "the blue flower" and found["link"] == translate.page.url
    lines = ElementTree.fromstring(picture).findall("{http://www.w3.org/2000/svg}line")
    strong = [line for line in lines if float(line.get("stroke-opacity")) > 0.8]
    ends = sorted((float(line.get("x1")), float(line.get("x2"))) for line in strong)
    attended = [source for _, source in ends]
    assert len(ends) >= 3 and attended != sorted(attended)


def test_a_phone_does_not_scroll_sideways(visit, base):
    phone = visit(base, TranslatePage, viewport={"width": 390, "height": 844}).open()
    assert phone.sideways() <= 0
    text = phone.page.get_by_label("Text to translate", exact=True)
    assert text.evaluate("e => e.scrollWidth <= e.clientWidth")  # nothing is cut
    for tab in phone.part("stack").get_by_role("radio").all():
        box = tab.bounding_box()
        assert box["x"] + box["width"] <= 390


def test_the_link_to_the_calculator_shows_the_same_head(translate):
    translate.open(layer="1", head="2", lang="fr")
    translate.page.get_by_role("link", name="This head step by step").click()
    calculator = translate.on(CalculatorPage).drawn()
    cross = load_model("phrases").generate(DEFAULT["phrases"]).cross
    calculator.shows("weights", cross.weights[1, 2].tolist())
    expect(calculator.row_names("weights")).to_have_text(["", *cross.tokens])
    translate.address_says(mode="head", stack="cross", layer="1", head="2", lang="fr")
    calculator.step("Softmax").click()
    expect(calculator.card("scale")).to_be_hidden()
    calculator.at("weights", 2, 1).click()
    expect(calculator.arithmetic("softmax")).to_contain_text(
        f"= {formatted(cross.weights[1, 2, 2, 1])}"
    )
    calculator.expect_no_nan()
    assert not translate.complaints


def test_a_chosen_example_is_translated(translate):
    translate.open()
    translate.page.get_by_role("button", name="Examples").click()
    translate.page.get_by_role("menuitem").nth(1).click()
    expect(translate.page.get_by_label("Text to translate")).not_to_have_value(DEFAULT["phrases"])
    expect(translate.summary()).not_to_contain_text("la fleur bleue n'est")
    assert translate.target_tokens()[1:4] == ["la", "fleur", "bleue"]
