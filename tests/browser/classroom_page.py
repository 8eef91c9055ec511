"""Page object of a classroom: actions of a teacher and of a student on any page."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

NETWORK_ERROR = re.compile("ERR_INTERNET_DISCONNECTED")


class ClassroomPage(Visitor):
    path = "/classroom"

    @property
    def bar(self) -> Locator:
        return self.page.locator(".strip")

    @property
    def question(self) -> Locator:
        return self.page.locator("dialog.question[open]")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    @property
    def form(self) -> Locator:
        """The dialog of a new question."""
        return self.page.locator("dialog.question-form[open]")

    def open_room(self) -> str:
        self.go()
        self.press("Open a room")
        expect(self.page.locator(".desk .code")).to_have_text(re.compile(r"\d{4} \d{4}"))
        return self.page.locator(".desk .code").inner_text()

    def set_mode(self, name: str) -> None:
        self.bar.get_by_label("Students").select_option(label=name)

    def show(self, page: str) -> None:
        self.menu(page)
        expect(self.page).to_have_title(f"{page} · Headlight")  # its path is in the URL
        self.at_rest()

    def teachers_link(self, more: str) -> str:
        stored = "code => JSON.parse(localStorage.getItem(`headlight.room.${code}`)).token"
        code = self.page.locator(".desk .code").inner_text().replace(" ", "")
        return (
            f"{self.base}/classroom?room={code}&{more}#teacher={self.page.evaluate(stored, code)}"
        )

    def ask(self, kind: str, prompt: str = "", **chosen: str) -> None:
        """Ask a question about the current view, with the chosen tokens."""
        self.press("Ask")
        form = self.form
        form.get_by_label("Kind").select_option(kind)
        for name, token in chosen.items():
            label = {"query": "From (query)", "key": "To (key)"}[name]
            form.get_by_label(label).select_option(label=token)
        if prompt:
            form.get_by_label("Question").fill(prompt)
        form.get_by_role("button", name="Ask").click()

    def ask_choice(self, prompt: str, options: str) -> None:
        self.press("Ask")
        self.form.get_by_label("Kind").select_option("choice")
        self.form.get_by_role("textbox", name="Options").fill(options)
        self.form.get_by_role("textbox", name="Question").fill(prompt)
        self.form.get_by_role("button", name="Ask").click()

    def lead(self, action: str) -> None:
        self.question.get_by_role("button", name=action, exact=True).click()

    def expect_answers(self, count: int) -> None:
        expect(self.question.locator(".status")).to_contain_text(f"{count} of ")

    def reveal(self) -> None:
        self.lead("Stop answers")
        self.lead("Reveal")

    def join_with(self, code: str) -> None:
        box = self.page.get_by_role("textbox", name="Code")
        box.clear()
        box.press_sequentially(code)
        self.press("Join")

    def join(self, code: str) -> None:
        self.go()
        self.join_with(code)
        expect(self.bar).to_contain_text("connected")

    def choose(self, name: str) -> None:
        self.question.get_by_role("button", name=name, exact=True).click()

    def send(self) -> None:
        self.question.get_by_role("button", name="Send answer").click()

    def expect_status(self, words: str) -> None:
        expect(self.question.locator(".status")).to_have_text(words)

    def ignore_network_errors(self) -> None:
        self.complaints[:] = [each for each in self.complaints if not NETWORK_ERROR.search(each)]
