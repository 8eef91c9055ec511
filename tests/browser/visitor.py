"""Base class of the page objects: records errors and requests, reads the URL, downloads files."""

import re
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar, TypeVar
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import numpy as np
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
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.components.explore import NUMBERS

PATIENCE = 60_000
"""Timeout in milliseconds. It is long, because the machine may be slow, shared and busy."""

# Layout shift as the browser measures it; above 0.1, a page counts as unstable.
MOVED = (
    "window.moved = 0; new PerformanceObserver((seen) => {"
    "for (const { value } of seen.getEntries()) window.moved += value;"
    '}).observe({ type: "layout-shift", buffered: true });'
)

Kind = TypeVar("Kind", bound="Visitor")


class Visitor:
    """Page object of one visitor, with the errors and the network traffic of the page."""

    path = "/"
    present: ClassVar[list["Visitor"]] = []

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.sent: list[int] = []
        self.received: list[int] = []
        self.sockets: list[WebSocket] = []
        self.actions = deque[tuple[float, bytes | str]](maxlen=20)
        self.present.append(self)
        self.listeners: dict[str, Callable[..., None]] = {
            "pageerror": lambda error: self.complaints.append(str(error)),
            "console": self._record_error,
            "request": self._record_foreign_request,
            "websocket": self._record_socket,
        }
        for event, listener in self.listeners.items():
            page.on(event, listener)

    def leave(self) -> None:
        self.present.remove(self)
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)

    def _record_error(self, message: ConsoleMessage) -> None:
        # On a page other than the first, Streamlit first requests these URLs below the page's path.
        # The response is 404, and Streamlit then requests them at the root.
        probe = re.search(r"/\w+/_stcore/(health|host-config)$", message.location["url"])
        if message.type == "error" and not probe:
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _record_foreign_request(self, request: Request) -> None:
        url = urlsplit(request.url)
        own = ("127.0.0.1", urlsplit(self.base).hostname)
        if url.scheme not in ("data", "blob", "file") and url.hostname not in own:
            self.strangers.append(request.url)

    def _record_socket(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framesent", self._record_action)
        socket.on("framereceived", lambda frame: self.received.append(len(frame)))

    def _record_action(self, frame: bytes | str) -> None:
        self.sent.append(len(frame))
        self.actions.append((time.monotonic(), frame))

    def report(self) -> str:
        """The URL, the script's state and what the browser last sent: for a test that fails."""
        state = self.page.locator("[data-test-script-state]").evaluate_all(
            "(apps) => apps.map((app) => ({ ...app.dataset }))"
        )
        lines, before = [self.page.url, f"{state}"], dict[str, str]()
        for at, frame in self.actions:
            request = BackMsg.FromString(frame).rerun_script
            widgets = {each.id: f"{each}" for each in request.widget_states.widgets}
            edited = " ".join(v for k, v in widgets.items() if before.get(k) != v).split()
            lines.append(f"{at - time.monotonic():.2f} s: {unquote(request.query_string)}")
            lines.append("    " + " ".join(edited)[:600])
            before = widgets
        return "\n".join(lines)

    def on(self, kind: type[Kind]) -> Kind:
        """Return the page object of another page that the same visitor has opened."""
        other = kind.__new__(kind)
        other.__dict__ = self.__dict__
        return other

    def go(self, **address: str) -> None:
        query = f"?{urlencode(address)}" if address else ""
        self.page.goto(f"{self.base}{self.path}{query}")

    def at_rest(self) -> None:
        expect(self.page.locator('[data-test-script-state="notRunning"]')).to_be_attached()
        expect(self.page.get_by_test_id("stException")).to_have_count(0)

    def menu(self, name: str) -> None:
        """Open another page with the menu above all pages."""
        self.page.get_by_test_id("stTopNav").get_by_role("link", name=name, exact=True).click()

    def part(self, name: str) -> Locator:
        """The element that Streamlit draws for a widget's key."""
        return self.page.locator(f".st-key-{name}")

    def box(self, label: str) -> Locator:
        return self.page.get_by_role("combobox", name=label, exact=True)

    def alerts(self) -> Locator:
        return self.page.get_by_test_id("stAlert")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def text_box(self, label: str = "Sentence") -> Locator:
        return self.page.get_by_label(label, exact=True)

    def plot(self, key: str) -> Locator:
        """A chart of Plotly. While it is replaced, a container may hold the old and the new one."""
        return self.part(f"{key}_chart").locator(".js-plotly-plot")

    def z(self, key: str) -> np.ndarray:
        return np.array(self.plot(key).evaluate(NUMBERS))

    def enter(self, text: str, label: str = "Sentence") -> None:
        self.text_box(label).fill(text)
        self.page.keyboard.press("Enter")

    def download(self, click: Callable[[], object]) -> tuple[Download, bytes]:
        with self.page.expect_download() as expected:
            click()
        return expected.value, expected.value.path().read_bytes()

    def address(self) -> dict[str, str]:
        return {k: v[0] for k, v in parse_qs(urlsplit(self.page.url).query).items()}

    def address_says(self, **wanted: str | None) -> None:
        """Wait until the URL has these parameters. None means that the parameter is absent."""
        self.page.wait_for_function(
            "(wanted) => wanted.every(([name, value]) =>"
            " new URLSearchParams(location.search).get(name) === value)",
            arg=[[name, value] for name, value in wanted.items()],
        )


class AnyPage(Visitor):
    """A page whose charts are identified by their keys."""

    def open(self, path: str, *charts: str, **address: str) -> None:
        self.path = path
        self.go(**address)
        self.drawn(*charts)

    def drawn(self, *charts: str) -> None:
        for key in charts:
            expect(self.plot(key)).to_be_visible()
        self.at_rest()


class Line:
    """WebSocket proxy of a page. It can hold the messages of either direction, or lose them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.slow: set[str] = set()
        self.held: list[tuple[WebSocketRoute, bytes | str]] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, page_end: WebSocketRoute) -> None:
        self.page_end, server_end = page_end, page_end.connect_to_server()
        page_end.on_message(lambda message: self._pass("up", server_end, message))
        server_end.on_message(lambda message: self._pass("down", page_end, message))

    def _pass(self, way: str, to: WebSocketRoute, message: bytes | str) -> None:
        if way in self.slow:
            self.held.append((to, message))
        else:
            to.send(message)

    def hold(self, way: str = "down") -> None:
        self.slow.add(way)

    def deliver(self) -> None:
        """Deliver the held messages, and continue to hold new ones."""
        held, self.held = self.held, []
        for to, message in held:
            to.send(message)

    def release(self) -> None:
        self.slow.clear()
        self.deliver()

    def cut(self) -> None:
        """Lose the held messages and close the connection; the browser must reconnect."""
        self.slow.clear()
        self.held = []
        self.page_end.close()

    def wait_for(self, content: bytes) -> None:
        """Wait until a message with this content is held."""
        end = time.monotonic() + PATIENCE / 1000
        while not any(content in message for _, message in self.held):
            assert time.monotonic() < end, content
            self.page.wait_for_timeout(50)
