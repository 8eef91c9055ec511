"""A room as its teacher and its students handle it, on whichever page they are."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

AWAY = re.compile("ERR_INTERNET_DISCONNECTED")


class ClassroomPage(Visitor):
    path = "/classroom"

    @property
    def strip(self) -> Locator:
        return self.page.locator(".strip")

    @property
    def sheet(self) -> Locator:
        """The question over the page."""
        return self.page.locator("dialog.asked[open]")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    # -- the teacher -----------------------------------------------------------------------------

    def open_room(self) -> str:
        self.go()
        self.press("Open a room")
        expect(self.page.locator(".desk .code")).to_have_text(re.compile(r"\d{4} \d{4}"))
        return self.page.locator(".desk .code").inner_text()

    def show(self, page: str) -> None:
        self.page.get_by_role("link", name=page).first.click()
        self.at_rest()

    def ask(self, kind: str, prompt: str = "", **chosen: str) -> None:
        """Ask about the present view; chosen by the labels of the form's boxes."""
        self.press("Ask")
        form = self.page.locator("dialog.asking[open]")
        form.get_by_label("Kind").select_option(kind)
        for label, value in chosen.items():
            box = form.get_by_label({"query": "From (query)", "key": "To (key)"}.get(label, label))
            if box.evaluate("box => box.tagName") == "SELECT":
                box.select_option(label=value)
            else:
                box.fill(value)
        if prompt:
            form.get_by_label("Question").fill(prompt)
        form.get_by_role("button", name="Ask now").click()

    def lead(self, what: str) -> None:
        self.sheet.get_by_role("button", name=what, exact=True).click()

    def answers(self, count: int) -> None:
        expect(self.sheet.locator(".status")).to_contain_text(f"Answers: {count}.")

    # -- a student -------------------------------------------------------------------------------

    def join(self, code: str) -> None:
        self.go()
        self.page.get_by_role("textbox", name="Code").fill(code)
        self.press("Join")
        expect(self.strip).to_contain_text("connected")

    def choose(self, name: str) -> None:
        self.sheet.get_by_role("button", name=name, exact=True).click()

    def send(self) -> None:
        self.sheet.get_by_role("button", name="Send my answer").click()

    def told(self, words: str) -> None:
        expect(self.sheet.locator(".status")).to_have_text(words)

    def forgive_what_was_said_of_the_network(self) -> None:
        """A browser that finds nobody says so, and may."""
        self.complaints[:] = [each for each in self.complaints if not AWAY.search(each)]
