"""The Model page: zooming by click, keyboard, Back and link, and the strip on the other pages."""

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

MINILM = {"left": "minilm", "layer": "3", "head": "1"}

HIDDEN_LINKS = """() => [...document.querySelector(".st-key-picture [data-drawn]").shadowRoot
  .querySelectorAll("a")].filter((link) => !link.checkVisibility()).length"""
COLUMNS_ALIGNED = """() => {
  const picture = document.querySelector(".st-key-picture [data-drawn]").shadowRoot;
  const names = [...picture.querySelectorAll("li.columns > .face .pair")];
  const key = picture.querySelector("li.key > .face");
  const [first, ...others] = key.querySelectorAll("canvas");
  const columns = [first, ...key.querySelectorAll(".pair"), others.at(-1)];
  const left = (element) => element.getBoundingClientRect().left;
  return names.length === columns.length &&
    names.every((name, i) => Math.abs(left(name) - left(columns[i])) < 1);
}"""
WIDTHS = """(list) => [...list.children].map((box) => box.getBoundingClientRect().width)"""


class ModelPage(Visitor):
    """The picture of a model."""

    path = "/model"

    def boxes(self, kind: str) -> Locator:
        return self.part("picture").locator(f"li.{kind} > .face")

    def shows(self, zoom: str) -> None:
        """Wait until the picture has this zoom."""
        expect(self.part("picture").locator(f'[data-zoom="{zoom}"]')).to_be_attached()

    def here(self) -> Locator:
        """The end of the path."""
        return self.part("picture").locator("li.crumb [aria-current]")


@pytest.fixture
def model(visit, base) -> ModelPage:
    return visit(base, ModelPage)


def test_zooming_from_the_whole_to_one_product_and_back(model):
    model.go(**MINILM)
    model.boxes("layer").nth(3).click(position={"x": 20, "y": 10})
    model.shows("layer")
    model.address_says(zoom="layer", layer="3")
    model.boxes("head").nth(1).click()
    model.shows("head")
    expect(model.here()).to_have_text("L3·H1")
    model.boxes("key").filter(has_text="animal").click()
    model.shows("score")
    expect(model.here()).to_have_text("it → animal")
    model.boxes("product").first.wait_for()
    weight = model.boxes("step").last.locator(".value").inner_text()
    model.page.go_back()
    model.shows("head")
    expect(model.boxes("key").filter(has_text="animal").locator(".value").last).to_have_text(weight)
    model.page.go_back()
    model.shows("layer")
    model.page.go_back()
    model.shows("whole")


def test_a_head_opened_in_the_whole_has_the_selected_token_and_heads_of_columns_above_them(model):
    model.go(left="scratch", layer="3", head="1")
    token = model.boxes("token").and_(model.page.locator("[aria-current]"))
    selected = token.inner_text()
    model.boxes("head").nth(6).click()
    model.shows("head")
    expect(model.here()).to_have_text("L0·H6")
    expect(token).to_have_text(selected)
    model.page.wait_for_function(COLUMNS_ALIGNED)


def test_a_product_opens_the_same_pair_in_the_calculator(model):
    model.go(**MINILM, zoom="score")
    model.boxes("step").first.click()
    model.address_says(mode="head", left="minilm", layer="3", head="1", look="|pair.10.2")
    expect(model.part("steps").get_by_text("21.6876").first).to_be_visible()


def test_the_keyboard_zooms_in_and_escape_zooms_out(model):
    model.go(**MINILM)
    head = model.boxes("head").nth(13)
    head.focus()
    model.page.keyboard.press("ArrowRight")
    assert model.focused()["text"].startswith("H2")
    model.page.keyboard.press("Enter")
    model.shows("head")
    expect(model.here()).to_have_text("L1·H2")
    assert model.focused()["text"] == "L1·H2"
    model.page.keyboard.press("Escape")
    model.shows("layer")
    expect(model.here()).to_have_text("Layer 1")


@pytest.mark.parametrize(
    ("left", "stack"), [("minilm", None), ("smollm2", None), ("phrases", "cross")]
)
def test_a_link_restores_the_view(model, visit, base, left, stack):
    view = {"left": left, "zoom": "head", "layer": "1", "head": "2", "token": "3"}
    model.go(**view, **({"stack": stack} if stack else {}))
    model.shows("head")
    expect(model.here()).to_have_text("L1·H2")
    rows = model.boxes("key").all_inner_texts()
    other = visit(base, ModelPage)
    other.page.goto(model.page.url)
    other.shows("head")
    expect(other.boxes("key")).to_have_count(len(rows))
    assert other.boxes("key").all_inner_texts() == rows


def test_a_typed_sentence_keeps_the_zoom_and_forgets_the_token(model):
    model.go(**MINILM, zoom="layer", token="10")
    box = model.page.get_by_label("Sentence", exact=True)
    box.fill("The cat sat.")
    box.press("Enter")
    expect(model.boxes("token")).to_have_count(6)
    model.shows("layer")
    model.address_says(token=None, text="The cat sat.")


def test_the_boxes_of_a_layer_are_as_wide_as_their_parameters(model):
    model.go(**MINILM)
    parts = model.part("picture").locator("li.layer").first.locator(":scope > ol")
    attention, feed = parts.evaluate(WIDTHS)
    assert attention / feed == pytest.approx(591_360 / 1_181_568, rel=0.01)


@pytest.mark.parametrize("width", [390, 1440, 1920])
@pytest.mark.parametrize("left", ["minilm", "smollm2", "phrases"])
def test_every_zoom_fits_the_screen(model, left, width):
    model.page.set_viewport_size({"width": width, "height": 844})
    for zoom in ("whole", "layer", "head", "score"):
        model.go(left=left, zoom=zoom)
        model.shows(zoom)
        model.at_rest()
        assert model.sideways() == 0
        assert model.page.evaluate(HIDDEN_LINKS) == 0


@pytest.mark.parametrize(("left", "label"), [("scratch", "predicts"), ("smollm2", "next")])
def test_on_a_phone_each_layer_is_large_enough_to_tap_and_has_its_prediction(model, left, label):
    model.page.set_viewport_size({"width": 390, "height": 844})
    model.go(left=left)
    model.shows("whole")
    boxes = [each.bounding_box() for each in model.boxes("layer").all()]
    pairs = model.boxes("layer").locator(".pair")
    assert len(boxes) in (6, 30) and pairs.count() == 2 * len(boxes)
    expect(pairs.nth(1)).to_contain_text(label)
    places = [pair.bounding_box() for pair in pairs.all()]
    assert all(place["x"] + place["width"] <= 390 for place in places)
    tops = [place["y"] for place in places]
    assert all(after - before >= 14 for before, after in pairwise(tops))
    assert min(box["height"] for box in boxes) >= 24
    assert all(after["y"] >= box["y"] + box["height"] for box, after in pairwise(boxes))


def test_the_strip_opens_the_picture_of_the_current_view(model):
    model.page.goto(f"{model.base}/layers?left=minilm&layer=4&text=A+cat.")
    model.at_rest()
    strip = model.part("you_are_here")
    expect(strip.locator("[aria-current]")).to_have_text("Layer")
    strip.get_by_role("link", name="Head", exact=True).click()
    model.shows("head")
    model.address_says(left="minilm", layer="4", text="A cat.", zoom="head")
    expect(model.part("you_are_here")).to_have_count(0)


def test_the_strip_of_the_decoder_page_carries_its_translator(model):
    model.page.goto(f"{model.base}/decoder?part=translate&model=dates&text=3+May+2019")
    model.at_rest()
    model.part("you_are_here").get_by_role("link", name="Output").click()
    model.shows("whole")
    model.address_says(left="dates", text="3 May 2019")


def test_the_strip_carries_the_view_before_its_javascript_is_loaded(model):
    model.page.goto(f"{model.base}/decoder?part=translate&model=dates&text=3+May+2019")
    model.part("you_are_here").get_by_role("link", name="Output").wait_for()
    href = model.part("you_are_here").get_by_role("link", name="Output").get_attribute("href")
    model.page.goto(f"{model.base}/{href}")
    model.shows("whole")
    model.address_says(left="dates", text="3 May 2019")


def test_the_strip_of_positions_carries_the_text_of_the_page_before(model):
    model.page.goto(f"{model.base}/layers?left=minilm&layer=4&text=A+cat.")
    model.at_rest()
    model.page.get_by_role("link", name="Positions", exact=True).click()
    expect(model.part("you_are_here").locator("[aria-current]")).to_have_text("Position")
    model.at_rest()
    model.part("you_are_here").get_by_role("link", name="Layer", exact=True).click()
    model.shows("layer")
    model.address_says(left="minilm", text="A cat.", zoom="layer")
