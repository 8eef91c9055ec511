"""The report: figures of several pages with notes, stored in the browser and saved as one file."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.explore_page import truth
from tests.browser.test_layers import LayersPage
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

TEXT = "a <script>document.title = 'run'</script> cat"
NOTE = "</p><script>document.title = 'run'</script> & “seen”\nin two lines"


def pin(visitor, name):
    """Pin a figure by the button beside its Export menu."""
    visitor.part(f"pin_{name}").get_by_role("button", name="Pin").click()
    expect(visitor.part("report").get_by_role("status")).to_contain_text("Pinned")


def report(visitor):
    """Open the report."""
    visitor.part("report").get_by_role("button", name="Report").click()
    return visitor.page.get_by_role("dialog", name="Report")


def captions(dialog):
    return dialog.get_by_role("img").evaluate_all("images => images.map(image => image.alt)")


def test_pins_of_two_pages_and_their_notes_are_saved_as_one_file_without_scripts(
    explore, visit, base, tmp_path
):
    explore.open(text=TEXT, layer="3", head="1")
    expect(explore.part("report").get_by_role("button", name="Report")).to_have_count(0)
    pin(explore, "head_right")
    link = explore.page.url
    explore.page.goto(f"{base}/layers?text=the+cat&part=profile")
    layers = LayersPage(explore.page, base)
    layers.drawn("profile")
    layers.at_rest()
    pin(layers, "profile")
    dialog = report(layers)
    dialog.get_by_label("Note").first.fill(NOTE)
    dialog.get_by_role("button", name="Close").click()
    # The report reads its notes from storage, after all writes before.
    expect(report(layers).get_by_label("Note").first).to_have_value(NOTE)
    layers.page.reload()
    layers.drawn("profile")
    layers.at_rest()
    dialog = report(layers)
    expect(dialog.get_by_label("Note").first).to_have_value(NOTE)
    _, data = layers.download(dialog.get_by_role("button", name="Save as HTML").click)
    saved = tmp_path / "report.html"
    saved.write_bytes(data)
    assert b"<script" not in data

    reader = visit(base, Visitor)
    reader.page.context.set_offline(True)
    reader.page.goto(saved.as_uri())
    page = reader.page
    expect(page).to_have_title("Report")
    expect(page.get_by_text("</p><script>")).to_have_text(NOTE)
    images = page.get_by_role("img")
    assert images.evaluate_all("images => images.map(i => i.naturalWidth > 300)") == [True, True]
    assert "head L3·H1" in images.first.get_attribute("alt")
    first, second = page.get_by_role("link").all()
    assert "part=profile" in second.get_attribute("href")
    page.get_by_text("Origin of the numbers").first.click()
    facts = page.locator("section").first.locator("dl")
    for fact in (TEXT, truth("minilm", TEXT).origin["weights_sha256"], "transformers"):
        expect(facts).to_contain_text(fact)
    page.context.set_offline(False)
    explore.page.goto(first.get_attribute("href"))
    explore.drawn()
    expect(explore.sentence()).to_have_value(TEXT)
    assert explore.address().items() >= {"layer": "3", "head": "1"}.items()
    assert link.partition("?")[0] == explore.page.url.partition("?")[0]


def test_pins_are_ordered_deleted_and_restored_with_the_keyboard(explore):
    explore.open(text="the cat")
    for side in ("left", "right"):
        pin(explore, f"head_{side}")
    dialog = report(explore)
    first, second = captions(dialog)
    assert "scratch" in first and "minilm" in second
    move = dialog.get_by_role("button", name="Move down").first
    move.focus()
    explore.page.keyboard.press("Enter")
    expect(dialog.get_by_role("img").first).to_have_attribute("alt", second)
    assert explore.focused()["tag"] == "TEXTAREA"  # of the figure that is now the last one
    dialog.get_by_role("button", name="Delete").first.press("Enter")
    expect(dialog.get_by_role("img")).to_have_count(1)
    explore.page.keyboard.press("Enter")  # undo has the focus
    expect(dialog.get_by_role("img")).to_have_count(2)
    assert captions(dialog) == [second, first]
    explore.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    explore.page.reload()
    explore.drawn()
    assert captions(report(explore)) == [second, first]


def test_lines_and_the_step_view_are_pinned_as_pictures_of_their_own(explore, base):
    explore.open(text="the cat", view="lines", overlaid="1-8")
    pin(explore, "head_right")
    explore.page.goto(f"{base}/decoder?t_text=the+blue+flower&step=1")
    explore.at_rest()
    explore.page.locator(".decoding").get_by_role("button", name="Pin").click()
    expect(explore.part("report").get_by_role("status")).to_contain_text("Pinned")
    dialog = report(explore)
    sources = dialog.get_by_role("img").evaluate_all(
        "images => images.map(i => [i.src.slice(0, 14), i.naturalWidth > 300])"
    )
    assert sources == [["data:image/png", True], ["data:image/svg", True]]
    expect(dialog.get_by_role("link").last).to_have_attribute("href", re.compile("step=1"))


def test_a_full_report_says_so_and_keeps_its_figures(explore):
    explore.open(text="the cat")
    pin(explore, "head_left")
    explore.page.evaluate(
        """() => new Promise((done) => {
          const opened = indexedDB.open("headlight");
          opened.onsuccess = () => {
            const write = opened.result.transaction("pins", "readwrite");
            const picture = "x".repeat(40_000_000);
            const large = { picture, caption: "", place: 2, note: "", page: "" };
            write.objectStore("pins").put(large);
            write.oncomplete = () => { opened.result.close(); done(); };
          };
        })"""
    )
    explore.part("pin_head_right").get_by_role("button", name="Pin").click()
    expect(explore.part("report").get_by_role("status")).to_contain_text("The report is full")
    expect(explore.part("report").get_by_role("button", name="Report")).to_have_text("2")


def test_the_report_fits_a_phone(visit, base):
    phone = visit(base, LayersPage, viewport={"width": 390, "height": 844}, has_touch=True)
    phone.open("profile", part="profile")
    pin(phone, "profile")
    dialog = report(phone)
    box = dialog.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    assert phone.sideways() <= 0
