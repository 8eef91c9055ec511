"""What every page has in common: a visitor who is watched, an address, files to take away."""

import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import (
    ConsoleMessage,
    Download,
    Locator,
    Page,
    Request,
    WebSocket,
    WebSocketRoute,
    expect,
)

PATIENCE = 60_000
"""Milliseconds. A timing never fails a test: the machine may be slow, shared and busy."""

# What has the keyboard, seen through the shadow roots of the components.
FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return { name: element.getAttribute("aria-label") ?? "", tag: element.tagName,
           text: element.textContent, within: element.className };
}"""

Kind = TypeVar("Kind", bound="Visitor")


class Visitor:
    """One visitor's page, with what went over its wires."""

    path = "/"

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.sent: list[int] = []
        self.received: list[int] = []
        self.hearing: dict[str, Callable[..., None]] = {
            "pageerror": lambda error: self.complaints.append(str(error)),
            "console": self._note_complaint,
            "request": self._note_stranger,
            "websocket": self._listen,
        }
        for event, hear in self.hearing.items():
            page.on(event, hear)

    def leave(self) -> None:
        """Nobody watches the page any more."""
        for event, hear in self.hearing.items():
            self.page.remove_listener(event, hear)

    def _note_complaint(self, said: ConsoleMessage) -> None:
        # On a page other than the first, Streamlit looks for its server below the page's path, is
        # told 404, and looks at the root.
        probe = re.search(r"/\w+/_stcore/(health|host-config)$", said.location["url"])
        if said.type == "error" and not probe:
            self.complaints.append(f"{said.text} ({said.location['url']})")

    def _note_stranger(self, request: Request) -> None:
        url = urlsplit(request.url)
        own = ("127.0.0.1", urlsplit(self.base).hostname)
        if url.scheme not in ("data", "blob", "file") and url.hostname not in own:
            self.strangers.append(request.url)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self.sent.append(len(frame)))
        socket.on("framereceived", lambda frame: self.received.append(len(frame)))

    def on(self, kind: type[Kind]) -> Kind:
        """The same visitor, who has gone to another page of the same app."""
        other = kind.__new__(kind)
        other.__dict__ = self.__dict__
        return other

    # -- going there ---------------------------------------------------------------------------

    def go(self, **address: str) -> None:
        query = f"?{urlencode(address)}" if address else ""
        self.page.goto(f"{self.base}{self.path}{query}")

    def at_rest(self) -> None:
        expect(self.page.locator('[data-test-script-state="notRunning"]')).to_be_attached()
        expect(self.page.get_by_test_id("stException")).to_have_count(0)

    # -- the parts -----------------------------------------------------------------------------

    def part(self, name: str) -> Locator:
        """What Streamlit draws for a widget's key."""
        return self.page.locator(f".st-key-{name}")

    def box(self, label: str) -> Locator:
        return self.page.get_by_role("combobox", name=label, exact=True)

    def alerts(self) -> Locator:
        return self.page.get_by_test_id("stAlert")

    # -- what a person does --------------------------------------------------------------------

    def download(self, click: Callable[[], object]) -> tuple[Download, bytes]:
        with self.page.expect_download() as coming:
            click()
        return coming.value, coming.value.path().read_bytes()

    # -- what a person sees --------------------------------------------------------------------

    def address(self) -> dict[str, str]:
        return {k: v[0] for k, v in parse_qs(urlsplit(self.page.url).query).items()}

    def address_says(self, **wanted: str | None) -> None:
        """Wait for values in the address; None: it does not name this."""
        self.page.wait_for_function(
            "(wanted) => wanted.every(([name, value]) =>"
            " new URLSearchParams(location.search).get(name) === value)",
            arg=[[name, value] for name, value in wanted.items()],
        )

    def focused(self) -> dict[str, str]:
        return self.page.evaluate(FOCUSED)

    def sideways(self) -> int:
        """Pixels that the page could be scrolled to the right."""
        boxes = ("document.documentElement", "document.querySelector('[data-testid=stMain]')")
        return max(self.page.evaluate(f"{b}.scrollWidth - {b}.clientWidth") for b in boxes)


class SlowLine:
    """What the server says can be held up on its way to the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.holding = False
        self.held: list[bytes] = []
        page.route_web_socket("**/_stcore/stream", self.connect)

    def connect(self, page_end: WebSocketRoute) -> None:
        self.page_end = page_end
        page_end.connect_to_server().on_message(self.pass_on)

    def pass_on(self, message: bytes) -> None:
        if self.holding:
            self.held.append(message)
        else:
            self.page_end.send(message)

    def hold(self) -> None:
        self.holding = True

    def let_pass(self) -> None:
        """Deliver what is held, and go on holding."""
        held, self.held = self.held, []
        for message in held:
            self.page_end.send(message)

    def let_go(self) -> None:
        self.holding = False
        self.let_pass()

    def wait_for(self, said: bytes) -> None:
        while not any(said in message for message in self.held):
            self.page.wait_for_timeout(50)
