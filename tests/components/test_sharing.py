import pytest
from playwright.sync_api import expect

from tests.components.conftest import ADDRESS
from web.server.qr import qr_code

pytestmark = pytest.mark.browser

VIEW = "/layers?text=A+cat.&layer=2"
NO_CLIPBOARD = "() => Object.defineProperty(navigator, 'clipboard', { value: undefined })"
READ = "navigator.clipboard.readText()"


@pytest.fixture(autouse=True)
def view(board) -> None:
    board.page.evaluate("(view) => history.replaceState(null, '', view)", f".{VIEW}&present=2")


def test_copy_link_writes_the_url_to_the_clipboard_without_the_presentation(board):
    board.draw("", "copy_link", alone="Only this computer opens this link.")
    note = board.part("copy_link").locator(".alone")
    expect(note).to_be_hidden()
    board.page.get_by_role("button", name="Copy link").click()
    expect(board.page.get_by_role("button", name="Link copied")).to_be_visible()
    expect(note).to_have_text("Only this computer opens this link.")
    assert board.page.evaluate(READ) == ADDRESS + VIEW


def test_copy_link_works_without_the_clipboard_api(board):
    board.page.evaluate(NO_CLIPBOARD)
    board.draw("", "copy_link", origin="https://example.org")
    board.page.get_by_role("button", name="Copy link").click()
    expect(board.page.get_by_role("button", name="Link copied")).to_be_focused()
    board.lay_out('<textarea aria-label="Paste"></textarea>')
    board.page.get_by_label("Paste").press("Control+v")
    expect(board.page.get_by_label("Paste")).to_have_value(f"https://example.org/a/proxy{VIEW}")


def test_a_qr_code_shows_the_link_in_a_dialog(board):
    board.draw("", "copy_link", alone="")
    board.page.evaluate("history.replaceState(null, '', './?text=caf%C3%A9')")
    button = board.page.get_by_role("button", name="QR code of this page")
    board.page.get_by_role("button", name="Copy link").click()
    button.click()
    code = board.page.get_by_role("img", name="QR code of this page")
    drawn = qr_code(f"{ADDRESS}/?text=caf%C3%A9")
    expect(code.locator("path")).to_have_attribute("d", drawn["path"])
    dialog = board.page.get_by_role("dialog")
    expect(dialog.locator(".address")).to_have_text(f"{ADDRESS}/?text=café")
    expect(dialog.locator(".said")).to_have_text("")
    dialog.get_by_role("button", name="Close").click()
    board.page.evaluate(f"history.replaceState(null, '', './?text={'a' * 1300}')")
    button.click()
    expect(dialog.locator(".said")).to_contain_text("too long for a QR code")
    expect(code.locator("path")).to_have_count(0)
    assert len(board.faults) == 1 and "413" in board.faults.pop()
    dialog.get_by_role("button", name="Close").click()
    board.page.evaluate("history.replaceState(null, '', './')")
    board.draw("", "copy_link", alone="Only here.")
    button.click()
    expect(dialog.locator(".said")).to_have_text("Only here.")
    expect(code.locator("path")).to_have_count(0)  # no phone could open its link
