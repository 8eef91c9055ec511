"""The URL contains the view: reload, Back, the menu, and the copied link."""

import pytest
from playwright.sync_api import expect

from tests.browser.explore_page import DEFAULT
from tests.browser.visitor import SlowLine
from web.server.qr import qr_code

pytestmark = pytest.mark.browser

NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"


def test_a_reload_keeps_the_view(explore):
    explore.open(text="hello there", words="1", scale="sqrt")
    explore.click_head("right", 2, 7)
    explore.address_says(layer="2", head="7")
    explore.chips().nth(1).click()
    explore.address_says(picked="1")
    before = explore.address()
    explore.page.reload()
    explore.drawn().shows(2, 7)
    expect(explore.chips().nth(1)).to_have_attribute("aria-pressed", "true")
    expect(explore.sentence()).to_have_value("hello there")
    assert explore.address() == before


def test_back_and_forward_go_through_the_selected_heads(explore):
    explore.open()
    explore.click_head("right", 0, 2)
    explore.address_says(layer="0", head="2")
    explore.click_head("right", 1, 8)
    explore.address_says(layer="1", head="8")
    explore.page.go_back()
    explore.shows(0, 2)
    explore.page.go_back()
    explore.shows(3, 1)
    explore.page.go_forward()
    explore.shows(0, 2)


def test_back_twice_in_quick_succession_goes_two_heads_back(explore):
    explore.open()
    for layer, head in ((0, 2), (1, 8), (5, 5)):
        explore.click_head("right", layer, head)
        explore.address_says(layer=str(layer), head=str(head))
    explore.page.go_back()
    explore.page.go_back()
    explore.shows(0, 2)
    explore.address_says(layer="0", head="2")


def test_a_sentence_typed_right_after_back_is_shown(explore):
    explore.open()
    explore.click_head("right", 1, 8)
    explore.address_says(layer="1", head="8")
    explore.page.go_back()
    explore.type("hello there")
    expect(explore.pieces()).to_have_text(["[CLS]", "hello", "there", "[SEP]"])
    explore.address_says(text="hello there")
    expect(explore.sentence()).to_have_value("hello there")


def test_a_sentence_typed_before_the_response_to_back_is_shown(explore):
    line = SlowLine(explore.page)
    explore.open()
    explore.click_head("right", 1, 8)
    explore.address_says(layer="1", head="8")
    explore.at_rest()
    line.hold()
    explore.page.go_back()
    line.wait_for(b"animal")  # the previous text of the box
    explore.type("hello there")
    line.wait_for(b"hello")
    line.release()
    expect(explore.pieces()).to_have_text(["[CLS]", "hello", "there", "[SEP]"])
    expect(explore.sentence()).to_have_value("hello there")
    explore.address_says(text="hello there")


def test_a_sentence_typed_before_the_url_is_updated_is_shown(explore):
    line = SlowLine(explore.page)
    explore.open()
    line.hold()
    explore.click_head("right", 1, 8)
    line.wait_for(b"head=8")
    explore.type("hello there")  # sent with the URL of the previous head
    line.release()
    expect(explore.pieces()).to_have_text(["[CLS]", "hello", "there", "[SEP]"])
    expect(explore.sentence()).to_have_value("hello there")
    explore.address_says(text="hello there", layer="1", head="8")
    explore.shows(1, 8)


def test_the_menu_leads_back_to_the_same_view_and_url(explore):
    explore.open()
    explore.click_head("right", 4, 4)
    explore.address_says(layer="4", head="4")
    explore.page.get_by_role("link", name="About").click()
    expect(explore.page.get_by_role("heading", name="About Headlight")).to_be_visible()
    explore.page.get_by_role("link", name="Explore").click()
    explore.shows(4, 4)
    explore.address_says(layer="4", head="4", left="scratch", right="minilm")


def enter(explore, name: str, **says: str) -> None:
    """Open a page with the menu, and wait for its URL."""
    explore.page.get_by_role("link", name=name, exact=True).click()
    explore.address_says(**says)
    explore.at_rest()


def test_opening_a_page_adds_one_history_entry(explore):
    explore.open()
    explore.address_says(text=DEFAULT)
    enter(explore, "Positions", d_model="128")
    enter(explore, "Calculator", mode="own")
    enter(explore, "Positions", d_model="128")
    addresses = []
    for _ in range(3):
        explore.page.go_back()
        explore.at_rest()
        addresses.append(explore.page.url.removeprefix(explore.base))
    assert addresses[0] == "/calculator?mode=own"
    assert addresses[1].startswith("/positions?kind=sinusoidal&")
    explore.shows(3, 1)
    assert addresses[2].startswith("/?text=The+animal+")
    assert set(explore.address()) == {"text", "left", "right", "layer", "head"}


def test_a_link_with_a_part_of_the_view_adds_one_history_entry_and_is_read_once(explore):
    explore.open(layer="2", head="9", d_model="64")
    explore.address_says(
        layer="2", head="9", text=DEFAULT, d_model=None
    )  # a parameter of Positions
    steps = explore.page.evaluate("history.length")
    explore.chips().nth(1).click()  # sent with the URL of the link, which has no picks
    explore.address_says(picked="1", layer="2", head="9")
    explore.click_head("right", 4, 4)
    explore.address_says(layer="4", head="4")
    assert explore.page.evaluate("history.length") == steps + 2
    explore.page.get_by_role("link", name="Step by step").first.click()
    explore.address_says(mode="head", layer="4", head="4", picked=None)
    explore.at_rest()
    assert explore.page.evaluate("history.length") == steps + 3


def test_back_right_after_a_sentence_restores_the_previous_sentence(explore):
    explore.open(text="hello there")
    explore.type("hello you")
    explore.address_says(text="hello you")
    explore.at_rest()
    explore.type("hello world")
    explore.page.evaluate("history.back()")
    # The last sentence has a history entry, and the browser went back from it.
    explore.page.wait_for_function("() => navigation.canGoForward")
    expect(explore.pieces()).to_have_text(["[CLS]", "hello", "you", "[SEP]"])
    explore.address_says(text="hello you")
    # The previous entry shows the same view, so wait until no other response can arrive.
    explore.page.wait_for_timeout(1_000)
    explore.at_rest()
    explore.page.evaluate("history.forward()")
    expect(explore.pieces()).to_have_text(["[CLS]", "hello", "world", "[SEP]"])
    expect(explore.sentence()).to_have_value("hello world")


def test_back_after_a_reload_restores_the_inputs_and_the_figures(explore):
    explore.open(text="hello there")
    explore.type("hello you")
    explore.address_says(text="hello you")
    explore.click_head("right", 2, 7)
    explore.address_says(layer="2", head="7")
    explore.at_rest()
    explore.page.reload()
    explore.drawn().shows(2, 7)
    for layer, head, piece in ((3, 1, "you"), (3, 1, "there")):
        explore.page.go_back()
        explore.shows(layer, head)
        expect(explore.pieces()).to_have_text(["[CLS]", "hello", piece, "[SEP]"])
        expect(explore.sentence()).to_have_value(f"hello {piece}")
    explore.page.go_forward()
    expect(explore.pieces().nth(2)).to_have_text("you")


def test_copy_link_writes_the_url_to_the_clipboard(explore):
    explore.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explore.open(layer="2", head="9")
    explore.page.get_by_role("button", name="Copy link").click()
    expect(explore.page.get_by_role("button", name="Link copied")).to_be_visible()
    assert explore.page.evaluate("navigator.clipboard.readText()") == explore.page.url
    alone = explore.part("copy_link").get_by_role("status")
    expect(alone).to_have_text("Only this computer can open this link.")
    explore.page.get_by_role("button", name="QR code of this page").click()
    code = explore.page.get_by_role("img", name="QR code of this page")
    expect(code.locator("path")).to_have_attribute("d", qr_code(explore.page.url)["path"])


def test_copy_link_works_without_the_clipboard_api(explore):
    explore.page.add_init_script(NO_CLIPBOARD)
    explore.open(layer="2", head="9")
    link = explore.page.url
    explore.page.get_by_role("button", name="Copy link").click()
    expect(explore.page.get_by_role("button", name="Link copied")).to_be_visible()
    explore.sentence().press("ControlOrMeta+a")
    explore.sentence().press("ControlOrMeta+v")
    expect(explore.sentence()).to_have_value(link)
