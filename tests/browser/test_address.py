"""The URL contains the view: reload, Back, the menu, a link, and present mode."""

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Line
from tests.components.explore import DEFAULT

pytestmark = pytest.mark.browser


def test_a_reload_back_and_forward_restore_the_inputs_and_the_figures(explore):
    full = {"text": "hello there", "left": "scratch", "right": "minilm", "layer": "3", "head": "1"}
    explore.open(**full, words="1", scale="sqrt")
    assert explore.page.evaluate("history.length") == 2  # the blank page and this one
    explore.type("hello you")
    explore.address_says(text="hello you")
    explore.click_head("left", 2, 7)
    explore.address_says(layer="2", head="7", linked="0")
    explore.chips().nth(1).click()
    explore.address_says(picked="1")
    explore.at_rest()
    before = explore.address()
    assert before["words"] == "1" and before["scale"] == "sqrt"
    similar = int(before["right_layer"]), int(before["right_head"])
    explore.page.reload()
    explore.drawn().shows(2, 7, ("left",))
    explore.shows(*similar, ("right",))
    expect(explore.chips().nth(1)).to_have_attribute("aria-pressed", "true")
    expect(explore.sentence()).to_have_value("hello you")
    assert explore.address() == before
    explore.page.go_back()
    expect(explore.chips().nth(1)).to_have_attribute("aria-pressed", "false")
    for piece in ("you", "there"):
        explore.page.go_back()
        explore.shows(3, 1)
        expect(explore.chips()).to_have_text(["[CLS]", "hello", piece, "[SEP]"])
        expect(explore.sentence()).to_have_value(f"hello {piece}")
    explore.page.go_forward()
    expect(explore.chips().nth(2)).to_have_text("you")
    explore.page.go_forward()
    explore.shows(2, 7, ("left",))
    explore.shows(*similar, ("right",))


def test_back_twice_in_quick_succession_goes_two_heads_back(explore):
    explore.open()
    for layer, head in ((0, 2), (1, 8), (5, 5)):
        explore.click_head("right", layer, head)
        explore.address_says(right_layer=str(layer), right_head=str(head))
    explore.page.go_back()
    explore.page.go_back()
    explore.shows(0, 2, ("right",))
    explore.address_says(right_layer="0", right_head="2")


def test_a_sentence_typed_around_a_step_back_is_shown(explore):
    line = Line(explore.page)
    explore.open()

    def click(layer: int, head: int) -> None:
        explore.click_head("right", layer, head)
        explore.address_says(right_layer=str(layer), right_head=str(head))
        explore.at_rest()

    def shown(text: str) -> None:
        expect(explore.chips()).to_have_text(["[CLS]", *text.split(), "[SEP]"])
        expect(explore.sentence()).to_have_value(text)
        explore.address_says(text=text)
        explore.at_rest()

    click(1, 8)
    line.hold()
    explore.page.go_back()
    line.wait_for(b"animal")  # the previous text of the box
    explore.type("hello there")  # before the response to Back
    line.wait_for(b"hello")
    line.release()
    shown("hello there")

    click(2, 7)
    explore.page.go_back()
    explore.type("birds sing")  # right after Back
    shown("birds sing")

    line.hold()
    explore.click_head("right", 1, 9)
    line.wait_for(b"head=9")
    explore.type("rain falls")  # sent with the URL of the previous head
    line.release()
    shown("rain falls")
    explore.address_says(right_layer="1", right_head="9")
    explore.shows(1, 9, ("right",))


def test_back_right_after_a_sentence_restores_the_previous_sentence(explore):
    explore.open(text="hello there")
    explore.type("hello you")
    explore.address_says(text="hello you")
    explore.at_rest()
    explore.type("hello world")
    explore.page.evaluate("history.back()")
    # The last sentence has a history entry, and the browser went back from it.
    explore.page.wait_for_function("() => navigation.canGoForward")
    # The entry before has the same view as before the last sentence, but for the text in the box.
    expect(explore.sentence()).to_have_value("hello you")
    expect(explore.chips()).to_have_text(["[CLS]", "hello", "you", "[SEP]"])
    explore.address_says(text="hello you")
    explore.at_rest()
    explore.page.evaluate("history.forward()")
    expect(explore.chips()).to_have_text(["[CLS]", "hello", "world", "[SEP]"])
    expect(explore.sentence()).to_have_value("hello world")


def test_a_link_and_each_page_add_one_history_entry_and_the_menu_leads_back_to_the_view(explore):
    explore.open(layer="2", head="9", d_model="64")  # d_model is a parameter of Positions
    explore.address_says(layer="2", head="9", text=DEFAULT, d_model=None)
    steps = explore.page.evaluate("history.length")
    explore.chips().nth(1).click()  # sent with the URL of the link, which has no picks
    explore.address_says(picked="1", layer="2", head="9")
    explore.click_head("left", 4, 4)
    explore.address_says(layer="4", head="4", text=DEFAULT)
    explore.at_rest()
    for name, says in (
        ("Positions", {"d_model": "128"}),
        ("Calculator", {"mode": "own"}),
        ("Positions", {"d_model": "128", "layer": None}),
    ):
        explore.menu(name)
        explore.address_says(**says)
        explore.at_rest()
    explore.menu("Explore")
    explore.shows(4, 4, ("left",))
    explore.address_says(layer="4", head="4", left="scratch", right="minilm")
    explore.at_rest()
    assert explore.page.evaluate("history.length") == steps + 6
    addresses = []
    for _ in range(4):
        explore.page.go_back()
        explore.at_rest()
        addresses.append(explore.page.url.removeprefix(explore.base))
    assert addresses[1] == "/calculator?mode=own"
    assert addresses[2].startswith("/positions?kind=sinusoidal&")
    explore.shows(4, 4, ("left",))
    assert addresses[3].startswith("/?text=The+animal+")
    view = {"text", "left", "right", "layer", "head", "linked", "right_layer", "right_head"}
    assert set(explore.address()) == {*view, "picked", "side"}


def test_the_language_chosen_in_the_header_keeps_the_view_and_a_links_comes_first(explore):
    explore.open(layer="2", head="5")
    explore.page.get_by_label("Language", exact=True).select_option("zh")
    expect(explore.page).to_have_title("探索 · Headlight")
    explore.address_says(layer="2", head="5", lang=None)
    explore.page.get_by_test_id("stMainMenu").get_by_role("button", name="主菜单").click()
    expect(explore.page.get_by_role("menuitem", name="打印")).to_be_visible()
    explore.page.keyboard.press("Escape")
    explore.menu("层")
    expect(explore.page).to_have_title("层 · Headlight")
    explore.page.goto(f"{explore.base}/heads?part=labels")
    explore.page.get_by_test_id("stMultiSelect").click()
    expect(explore.page.get_by_role("option", name="全选")).to_be_visible()
    explore.page.goto(f"{explore.base}/?lang=en")
    explore.address_says(lang="en")
    explore.at_rest()
    explore.menu("Layers")
    expect(explore.page).to_have_title("Layers · Headlight")


def test_present_mode_counts_every_key_and_its_reset_can_be_undone(explore):
    page = explore.page
    explore.open(lang="en", text="hello there", same="1")
    page.keyboard.press("p")
    explore.address_says(present="1")
    line = page.locator(".headlight-present .caption")
    expect(line).to_contain_text("Each picture is one head: rows attend to columns; strong")
    for _ in range(6):  # every press counts, also while the server answers an earlier one
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    explore.address_says(layer="4", head="7", present="1")
    for side in ("left", "right"):
        expect(explore.overview(side)).to_have_attribute("data-selected", "L4·H7")
    page.locator(".headlight-view .chips button").nth(1).click()
    page.keyboard.press("Enter")  # the next figure; the token stays selected
    explore.address_says(layer="4", head="7", present="2", picked="1")
    page.keyboard.press("Escape")
    explore.address_says(present=None, layer="4", head="7")
    page.locator(".headlight-present .reset").click()
    explore.address_says(text=DEFAULT, lang="en")
    explore.drawn()
    page.go_back()
    expect(explore.sentence()).to_have_value("hello there")
    page.go_forward()
    expect(explore.sentence()).to_have_value(DEFAULT)
