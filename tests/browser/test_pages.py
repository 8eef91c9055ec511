"""Journeys on the pages Model, Layers, Heads, Positions and Decoder."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from model.analysis.depth import by_layer
from model.analysis.intervention import Intervention, intervene
from model.analysis.logit_lens import logit_lens
from tests.browser.calculator_page import CalculatorPage
from tests.browser.explore_page import ExplorePage
from tests.browser.visitor import AnyPage
from tests.components.explore import DEFAULT, NUMBERS, model, truth
from viz import distinct

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def visitor(visit, base) -> AnyPage:
    """A visitor who has not opened a page yet."""
    return visit(base, AnyPage)


def shows_layer(layers: ExplorePage, layer: int, kind: str) -> None:
    """Wait until the outline, the map and the URL show a layer."""
    expect(layers.overview("right")).to_have_attribute("data-selected", f"L{layer}")
    expect(layers.heatmap("right")).to_have_attribute("data-head", f"L{layer}")
    layers.address_says(layer=str(layer))
    layers.at_rest()
    expected = by_layer(model("minilm"), truth("minilm"), kind)[layer]
    drawn = np.array(layers.heatmap("right").evaluate(NUMBERS))
    np.testing.assert_allclose(drawn, expected, rtol=0, atol=5.001e-5)


def test_layers_are_selected_by_click_key_and_kind_and_a_tap_reads_the_lens(visit, base):
    layers = visit(base, ExplorePage, viewport={"width": 1440, "height": 900})
    layers.path = "/layers"
    layers.open()
    shows_layer(layers, 3, "mean")
    grid = layers.overview("right")
    assert grid.bounding_box()["y"] < 260
    size = grid.bounding_box()
    grid.click(position={"x": size["width"] * 5.5 / 6 + 15, "y": size["height"] / 2 + 9})
    shows_layer(layers, 5, "mean")
    layers.box("What a layer shows").fill("Rollout")
    layers.page.keyboard.press("Enter")
    layers.address_says(kind="rollout")
    grid.press("ArrowUp")
    shows_layer(layers, 4, "rollout")
    words, names = truth("minilm").tokens, distinct(truth("minilm").tokens)
    are = np.array([token.isalnum() for token in words])  # special tokens have brackets
    sources = by_layer(model("minilm"), truth("minilm"), "rollout")[4] * ~np.eye(16, dtype=bool)
    row, source = np.unravel_index((sources * np.outer(are, are)).argmax(), (16, 16))
    most = f"{names[row]} ← {names[source]} {sources[row, source]:.2f}"
    expect(layers.column("right").locator(".links li").first).to_have_text(most)

    layers.page.get_by_text("Compare", exact=True).click()
    visitor = layers.on(AnyPage)
    visitor.drawn("difference")
    visitor.address_says(part="difference")
    visitor.at_rest()
    visitor.page.go_back()
    shows_layer(layers, 4, "rollout")

    # On a phone, the lens is wider than the screen and scrolls inside its own frame.
    visitor.page.set_viewport_size(PHONE)
    visitor.open("/layers", "lens", part="lens", left="scratch", text=DEFAULT)
    frame = visitor.part("lens")
    inner, outer = frame.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner > 2 * outer
    shown, edge = (each.bounding_box() for each in (frame.get_by_text("it (hidden)"), frame))
    assert edge["x"] < shown["x"] < edge["x"] + edge["width"]
    names = frame.locator(".row-names")  # in front of the columns that are scrolled away
    expect(names).to_have_text("L5L4L3L2L1L0embeddings")
    assert abs(names.bounding_box()["x"] - edge["x"]) < 1
    box = frame.locator(".nsewdrag").bounding_box()
    # The lens has 16 tokens and 7 depths: click the third token, after L1.
    place = {"x": box["width"] * 2.3 / 16, "y": box["height"] * 2.6 / 7}
    frame.locator(".nsewdrag").click(position=place)
    visitor.address_says(depth="2", at="2")
    visitor.at_rest()
    lens = logit_lens(model("scratch"), DEFAULT.replace("animal", "[MASK]"))
    np.testing.assert_allclose(visitor.z("lens"), lens.probabilities[..., 0], atol=1e-6)


"""Height in pixels of a row and of the header of the table of labels."""


def shows_head(visitor: AnyPage, name: str, side: str = "minilm") -> None:
    expect(panel(visitor).locator(".gtitle")).to_have_text([f"{side} · {name}"])


def panel(visitor: AnyPage) -> Locator:
    """The map of the selected head of the Heads page."""
    return visitor.part("view_panel").locator(".map")


def test_one_click_finds_the_head_that_links_it_to_animal_and_one_switches_it_off(visitor):
    visitor.open("/heads", part="labels")
    shows_head(visitor, "L0·H2")
    visitor.page.get_by_role("radio", name="Which head links X to Y?").click()
    visitor.address_says(query="10", key="2")
    shows_head(visitor, "L3·H1")
    visitor.address_says(layer="3", head="1")
    visitor.at_rest()
    shown = np.array(panel(visitor).evaluate(NUMBERS))
    np.testing.assert_allclose(shown, truth("minilm").weights[3, 1], atol=5e-5)
    visitor.button("Switch L3·H1 off").click()
    visitor.drawn("head_difference")
    grid = visitor.part("view_changes").locator("canvas.grid")
    expect(grid).to_have_attribute("data-selected", re.compile(r"L\d·H\d"))
    visitor.at_rest()
    view = visitor.address()
    assert (view["part"], view["off"]) == ("change", "3-1")
    after = intervene(model("minilm"), DEFAULT, None, Intervention(frozenset({(3, 1)}))).capture
    change = after.weights - truth("minilm").weights
    expected = change[int(view["layer"]), int(view["head"])]
    np.testing.assert_allclose(visitor.z("head_difference"), expected, atol=1e-6)
    box = grid.bounding_box()
    across, down = (box["width"] - 30) / 12, (box["height"] - 18) / 6  # cells need not be square
    grid.click(position={"x": 30 + 4.5 * across, "y": 18 + 5.5 * down})
    title = visitor.plot("head_difference").locator(".gtitle")
    expect(title).to_contain_text(["L5·H4: without L3·H1"])
    visitor.address_says(layer="5", head="4")


def test_a_click_on_a_row_shows_its_head_and_back_the_head_before(visit, base):
    explore = visit(base, ExplorePage, viewport={"width": 1440, "height": 900}).open()
    explore.click_head("left", 5, 6)
    explore.shows(5, 6, ("left",))
    explore.at_rest()
    explore.menu("Heads")
    heads = explore.on(AnyPage)
    heads.page.get_by_role("radio", name="What heads do").click()
    shows_head(heads, "L5·H6", "scratch")
    heads.address_says(layer="5", head="6", side="left")
    table = heads.part("labels_table")
    rows = table.locator("tbody tr")
    expect(rows.nth(0)).to_contain_text("previous token")
    expect(rows.and_(table.locator("[aria-selected=true]"))).to_be_in_viewport()  # scrolled to
    table.get_by_role("row", name="L2·H10").click()
    shows_head(heads, "L2·H10", "scratch")
    heads.address_says(layer="2", head="10", side="left")
    expect(table.get_by_role("row", name="L2·H10")).to_have_attribute("aria-selected", "true")
    heads.at_rest()
    heads.page.go_back()
    shows_head(heads, "L5·H6", "scratch")

    # On a phone, no column is cut, and the chosen head is scrolled into view.
    heads.page.set_viewport_size(PHONE)
    heads.page.reload()
    shows_head(heads, "L5·H6", "scratch")
    heads.at_rest()
    inner, outer = table.locator(".table").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner <= outer
    rows.nth(8).scroll_into_view_if_needed()
    expect(panel(heads)).not_to_be_in_viewport()
    rows.nth(8).press("Enter")
    expect(panel(heads).locator(".gtitle")).not_to_have_text("scratch · L5·H6")
    expect(panel(heads)).to_be_in_viewport(ratio=0.98)


def test_a_card_opens_its_view_and_back_leaves_it(visitor):
    visitor.open("/", text="Quite another one.")
    explore = visitor.on(ExplorePage).drawn()
    explore.button("Examples").click()
    explore.page.get_by_role("menuitem", name="previous token").click()
    explore.address_says(linked="0", text=DEFAULT)
    expect(explore.title("left")).to_have_text(["scratch · L1·H10"])
    expect(explore.title("right")).to_have_text(["minilm · L0·H2"])
    explore.at_rest()
    explore.page.go_back()
    explore.address_says(linked=None, text="Quite another one.")


def boxes(visitor: AnyPage, kind: str) -> Locator:
    return visitor.part("picture").locator(f"li.{kind} > .face")


def zoomed(visitor: AnyPage, zoom: str) -> None:
    """Wait until the picture has this zoom."""
    expect(visitor.part("picture").locator(f'[data-zoom="{zoom}"]')).to_be_attached()


def test_the_picture_zooms_to_one_product_and_the_calculator_and_back(visitor):
    here = visitor.part("picture").locator("li.crumb [aria-current]")  # the end of the path
    visitor.open("/model", left="minilm", layer="3", head="1", zoom="layer")
    boxes(visitor, "head").nth(1).click()
    zoomed(visitor, "head")
    expect(here).to_have_text("L3·H1")
    boxes(visitor, "key").filter(has_text="animal").click()
    zoomed(visitor, "score")
    expect(here).to_have_text("it → animal")
    boxes(visitor, "step").first.click()
    visitor.address_says(mode="head", left="minilm", layer="3", head="1", look="|pair.10.2")
    expect(visitor.part("steps").get_by_text("21.6876").first).to_be_visible()
    for zoom in ("score", "head", "layer"):
        visitor.at_rest()
        visitor.page.go_back()
        zoomed(visitor, zoom)


def test_positions_follow_the_inputs_and_keep_their_view_beside_explores(visit, base):
    explore = visit(base, ExplorePage).open(layer="2", head="7")
    positions = explore.on(AnyPage)
    explore.menu("Positions")
    positions.drawn("sinusoids")
    positions.button("Options").click()
    for label, number in (("d_model", "64"), ("Length", "30"), ("Base", "50")):
        positions.enter(number, label)
    subtitle = positions.plot("sinusoids").locator(".gtitle-subtitle")
    expect(subtitle).to_have_text(["30 positions × 64 columns, base 50"])
    positions.part("kind").get_by_text("Other schemes", exact=True).click()
    positions.drawn("alibi")
    positions.address_says(kind="schemes", d_model=None)
    positions.part("kind").get_by_text("Sinusoids", exact=True).click()
    positions.drawn("sinusoids")
    positions.address_says(kind="sinusoidal", d_model="64", length="30", base="50")
    positions.at_rest()
    positions.menu("Explore")
    explore.drawn().shows(2, 7)
    explore.address_says(layer="2", head="7", text=DEFAULT, kind=None)
    explore.menu("Positions")
    positions.drawn("sinusoids")
    positions.address_says(kind="sinusoidal", d_model="64", layer=None)


def test_a_mask_can_be_chosen_again_after_each_drawn_cell_and_inverted_leaks(visit, base):
    decoder = visit(base, AnyPage, viewport={"width": 1440, "height": 900})
    decoder.open("/decoder", "before", "after", part="masks", mask="none")

    def hides(count: int) -> None:
        hidden = f"{count} of 256 cells" if count else "no cell"
        expect(decoder.page.get_by_text(f"The mask hides {hidden}")).to_be_visible()
        decoder.at_rest()

    def choose(name: str) -> None:
        decoder.page.get_by_label("Mask", exact=True).click()
        decoder.page.get_by_role("option", name=name, exact=True).click()

    for name, count in (("No mask", 0), ("Causal mask", 120)):
        choose(name)
        hides(count)
        decoder.part("mask_grid").locator(".cells").focus()
        decoder.page.keyboard.press("ArrowDown")
        decoder.page.keyboard.press("Enter")  # a word to [CLS]
        hides(count + 1)
        decoder.address_says(mask="drawn", pads="0")
    decoder.page.reload()
    hides(121)
    box = decoder.part("after").bounding_box()
    assert box["y"] + box["height"] < 900  # on the first screen
    choose("Causal mask")
    hides(120)
    decoder.button("Options").click()
    decoder.page.get_by_text("Inverted", exact=True).click()
    expect(decoder.alerts().filter(has_text="The mask leaks: 93.8%")).to_be_visible()
    decoder.address_says(mask="causal", inverted="1")


LONGER = """([part, text]) => {
  const now = (document.querySelector(part)?.textContent ?? "").replace("▌", "");
  return now.length > text.length && now.startsWith(text) && now;
}"""


def test_tokens_appear_one_at_a_time_and_stop_keeps_them(visit, base):
    writer = visit(base, AnyPage, viewport={"width": 1440, "height": 900})
    writer.path, text = "/decoder", "Once upon a time"
    writer.go(part="generate", text=text, tokens="200")
    place = ".st-key-g_live_text [data-testid=stText]"
    for _ in range(2):
        text = writer.page.wait_for_function(LONGER, arg=[place, text]).json_value()
    # Streamlit's own button would leave a page of grey parts.
    expect(writer.button("Stop")).to_have_count(0)
    writer.button("Stop writing").click()
    writer.button("Write 200 more").wait_for()
    count = int(writer.address()["until"])
    assert 2 <= count < 200
    written = writer.page.locator(".cell.written")
    expect(written).to_have_count(count)
    shown = "".join(writer.page.locator(".cell .word").all_text_contents())
    assert "".join(shown.replace("⏎", "").split()).startswith("".join(text.split()))


def test_a_chosen_token_and_its_step_survive_back_and_forward(visit, base):
    writer = visit(base, AnyPage, viewport={"width": 1440, "height": 900})
    writer.path = "/decoder"
    writer.go(part="generate", text="Once upon a time", tokens="4")
    words, position = writer.page.locator(".cell.written .word"), writer.page.locator("output")
    expect(words).to_have_count(4)
    before = words.all_text_contents()
    words.nth(1).click()
    writer.address_says(step="1", forced=None)
    writer.page.locator(".list .token:not(.written)").first.click()
    expect(words.nth(1)).not_to_have_text(before[1])
    writer.address_says(step="1")
    writer.at_rest()
    after = words.all_text_contents()
    assert after[0] == before[0] and after[1] != before[1]
    words.nth(3).click()
    writer.address_says(step="3")

    def shows(texts: list[str], step: int) -> None:
        expect(words).to_have_text(texts, use_inner_text=False)
        expect(position).to_have_text(f"step {step + 1} of 4")
        writer.address_says(step=str(step))
        writer.at_rest()

    writer.page.go_back()
    shows(before, 1)
    writer.page.go_forward()
    shows(after, 3)
    writer.menu("Explore")
    writer.page.wait_for_url(lambda url: "decoder" not in url)  # until then, Back goes too far
    writer.page.go_back()
    shows(after, 3)
    writer.page.go_back()
    shows(before, 1)


def test_a_translation_is_stepped_forced_linked_and_opened_in_the_calculator(visit, base):
    mine = visit(base, AnyPage)
    summary = mine.page.locator(".decoding .summary")
    mine.open("/decoder", text="the blue flower")
    expect(summary).not_to_be_empty()
    targets = mine.page.locator(".decoding text.target")
    assert targets.all_text_contents()[:4] == ["<s>", "la", "fleur", "bleue"]
    messages = len(mine.sent)
    slider = mine.page.locator(".decoding input[type=range]")
    slider.press("Home")
    slider.press("ArrowRight")
    mine.address_says(step="1")
    assert len(mine.sent) == messages  # stepping needs no server
    mine.page.locator(".decoding .token").nth(1).click()
    expect(summary).not_to_contain_text("fleur")
    mine.at_rest()
    assert "1~" in mine.address()["forced"]
    friend = visit(base, AnyPage)
    friend.page.goto(mine.page.url)
    expect(friend.page.locator(".decoding .summary")).to_have_text(summary.inner_text())

    mine.open("/decoder", text="the blue flower", layer="1", head="1", lang="fr")
    expect(mine.page.locator("canvas.grid")).to_have_attribute("data-selected", "L1·H1")
    mine.page.locator("canvas.grid").press("ArrowRight")
    mine.address_says(layer="1", head="2")
    expect(summary).to_contain_text("L1·H2")  # the step view shows the head, too
    mine.page.get_by_role("link", name="This head step by step").click()
    calculator = mine.on(CalculatorPage).drawn()
    cross = model("phrases").generate("the blue flower").cross
    calculator.shows("weights", cross.weights[1, 2].tolist())
    expect(calculator.row_names("weights")).to_have_text(["", *cross.tokens])
    mine.address_says(mode="head", stack="cross", layer="1", head="2", lang="fr")


def test_a_head_behind_its_baseline_has_a_minus_sign(visitor):
    visitor.open("/heads?part=corpus&left=scratch-untrained&side=left")
    last = visitor.part("grammar_table").locator("tbody tr").last.locator("td").nth(-2)
    expect(last).to_have_text(re.compile(r"^−\d+\.\d$"))


@pytest.mark.parametrize("show", ["hover", "click", "focus"])
def test_a_term_shows_its_sentence_at_once(visitor, show):
    visitor.open("/heads?part=labels")
    term = visitor.page.locator('a[href="#term"]', has_text="L0·H2")
    getattr(term, show)()
    shown = term.evaluate("term => getComputedStyle(term, '::after').content")
    assert "L0·H2 is head 2 of layer 0" in shown
