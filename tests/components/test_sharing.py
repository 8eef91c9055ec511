import pytest
from playwright.sync_api import expect

from tests.components.conftest import ADDRESS

pytestmark = pytest.mark.browser

VIEW = "/layers?text=A+cat.&layer=2"
NO_CLIPBOARD = "() => Object.defineProperty(navigator, 'clipboard', { value: undefined })"
READ = "navigator.clipboard.readText()"


def draw(board, **changes: str) -> None:
    board.draw("", "present", **changes)
    board.page.evaluate("(view) => history.replaceState(null, '', view)", f".{VIEW}&present=2")


def test_copy_link_writes_the_url_to_the_clipboard_without_the_presentation(board):
    draw(board, alone="Only this computer opens this link.")
    note = board.page.locator(".headlight-present .copied")
    expect(note).to_be_hidden()
    board.page.get_by_role("button", name="Copy link").click()
    expect(note).to_have_text("Link copied. Only this computer opens this link.")
    assert board.page.evaluate(READ) == ADDRESS + VIEW


def test_copy_link_works_without_the_clipboard_api(board):
    board.page.evaluate(NO_CLIPBOARD)
    draw(board, origin="https://example.org")
    board.page.get_by_role("button", name="Copy link").click()
    expect(board.page.get_by_role("button", name="Copy link")).to_be_focused()
    board.lay_out('<textarea aria-label="Paste"></textarea>')
    board.page.get_by_label("Paste").press("Control+v")
    expect(board.page.get_by_label("Paste")).to_have_value(f"https://example.org/a/proxy{VIEW}")
