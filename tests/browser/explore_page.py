"""The Explore page as a person handles it: point, click, type, read."""

import re
from collections.abc import Callable
from functools import cache
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from playwright.sync_api import ConsoleMessage, Download, Locator, Page, Request, WebSocket, expect

from model import AttentionCapture, LoadedModel, load_model

DEFAULT = "The animal didn't cross the street because it was too tired."
SIDES = ("left", "right")
PATIENCE = 60_000
"""Milliseconds. A timing never fails a test: the machine may be slow, shared and busy."""

ANYTHING = re.compile(".")

# Where overview.js draws its heads.
MARGIN = {"left": 30, "top": 18}

# Keeps what is written on a canvas where a test can read it.
RECORD_TEXT = """
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
  (this.canvas.written ??= []).push(String(text));
  return fillText.call(this, text, ...where);
};
"""

# What has the keyboard, seen through the shadow roots of the components.
FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return { name: element.getAttribute("aria-label") ?? "", tag: element.tagName,
           text: element.textContent, within: element.className };
}"""


@cache
def model(name: str) -> LoadedModel:
    return load_model(name)


@cache
def truth(name: str, text: str = DEFAULT, pair: str | None = None) -> AttentionCapture:
    """What the page has to show, computed here."""
    return model(name).attend(text, pair)


def four(weight: float) -> str:
    return format(float(weight), ".4f")


class ExplorePage:
    """One visitor's page, with what went over its wires."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.sent: list[int] = []
        self.received: list[int] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note_complaint)
        page.on("request", self._note_stranger)
        page.on("websocket", self._listen)

    def _note_complaint(self, said: ConsoleMessage) -> None:
        # On a page other than the first, Streamlit looks for its server below the page's path, is
        # told 404, and looks at the root.
        probe = re.search(r"/\w+/_stcore/(health|host-config)$", said.location["url"])
        if said.type == "error" and not probe:
            self.complaints.append(f"{said.text} ({said.location['url']})")

    def _note_stranger(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.hostname != "127.0.0.1":
            self.strangers.append(request.url)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self.sent.append(len(frame)))
        socket.on("framereceived", lambda frame: self.received.append(len(frame)))

    # -- going there ---------------------------------------------------------------------------

    def open(self, **address: str) -> "ExplorePage":
        query = f"?{urlencode(address)}" if address else ""
        self.page.goto(f"{self.base}/{query}")
        return self.drawn("lines" if address.get("view") == "lines" else "heatmap")

    def drawn(self, view: str = "heatmap") -> "ExplorePage":
        """Wait until both overviews and both details are painted, and the server is at rest."""
        for side in SIDES:
            expect(self.overview(side)).to_have_attribute("data-selected", ANYTHING)
            if view == "heatmap":
                # One: while a chart is replaced, the old one may stand beside it for a moment.
                expect(self.chart(side).locator(".heatmaplayer image")).to_have_count(1)
            else:
                expect(self.lines(side)).to_have_attribute("aria-label", ANYTHING)
        self.at_rest()
        return self

    def at_rest(self) -> None:
        expect(self.page.locator('[data-test-script-state="notRunning"]')).to_be_attached()
        expect(self.page.get_by_test_id("stException")).to_have_count(0)

    # -- the parts -----------------------------------------------------------------------------

    def part(self, name: str) -> Locator:
        """What Streamlit draws for a widget's key."""
        return self.page.locator(f".st-key-{name}")

    def overview(self, side: str) -> Locator:
        return self.part(f"overview_{side}").locator("canvas.grid")

    def lens(self, side: str) -> Locator:
        return self.part(f"overview_{side}").locator(".lens")

    def said(self, side: str) -> Locator:
        return self.part(f"overview_{side}").locator(".said")

    def chips(self, side: str = "left") -> Locator:
        return self.part(f"chips_{side}").locator("button")

    def pieces(self, side: str = "left") -> Locator:
        return self.chips(side).locator(".piece")

    def chart(self, side: str) -> Locator:
        return self.part(f"heatmap_{side}")

    def title(self, side: str) -> Locator:
        return self.chart(side).locator(".gtitle")

    def subtitle(self, side: str) -> Locator:
        return self.chart(side).locator(".gtitle-subtitle")

    def rows(self, side: str) -> Locator:
        """Names of a heatmap's rows; Plotly writes the last one first."""
        return self.chart(side).locator(".yaxislayer-above .ytick text")

    def lines(self, side: str) -> Locator:
        return self.part(f"lines_{side}").locator("canvas")

    def legend(self, side: str) -> Locator:
        return self.part(f"lines_{side}").locator(".legend span")

    def tables(self) -> Locator:
        return self.page.get_by_test_id("stDataFrame")

    def sentence(self) -> Locator:
        return self.page.get_by_label("Sentence", exact=True)

    def box(self, label: str) -> Locator:
        return self.page.get_by_role("combobox", name=label, exact=True)

    def picker(self, side: str) -> Locator:
        return self.box(f"{side.capitalize()} model")

    # -- what a person does --------------------------------------------------------------------

    def type(self, text: str) -> None:
        self.sentence().fill(text)
        self.page.keyboard.press("Enter")

    def choose(self, side: str, name: str) -> None:
        self.picker(side).fill(name)
        self.page.keyboard.press("Enter")

    def spot(self, side: str, layer: int, head: int, n_heads: int = 12) -> dict[str, float]:
        """Where a head is on its overview."""
        step = (self.overview(side).bounding_box()["width"] - MARGIN["left"]) / n_heads
        return {
            "x": MARGIN["left"] + (head + 0.45) * step,
            "y": MARGIN["top"] + (layer + 0.45) * step,
        }

    def hover_head(self, side: str, layer: int, head: int, n_heads: int = 12) -> None:
        self.overview(side).hover(position=self.spot(side, layer, head, n_heads))

    def click_head(self, side: str, layer: int, head: int, **how: object) -> None:
        self.overview(side).click(position=self.spot(side, layer, head), **how)

    def point_at(self, side: str, query: int, key: int, size: int) -> None:
        """Move the mouse over a cell of a heatmap."""
        area = self.chart(side).locator(".nsewdrag")
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        x = box["x"] + (key + 0.5) / size * box["width"]
        y = box["y"] + (query + 0.5) / size * box["height"]
        self.page.mouse.move(x - 1, y - 1)
        self.page.mouse.move(x, y)

    def download(self, click: Callable[[], object]) -> tuple[Download, bytes]:
        with self.page.expect_download() as coming:
            click()
        return coming.value, coming.value.path().read_bytes()

    # -- what a person sees --------------------------------------------------------------------

    def address(self) -> dict[str, str]:
        return {k: v[0] for k, v in parse_qs(urlsplit(self.page.url).query).items()}

    def shows(self, layer: int, head: int, sides: tuple[str, ...] = SIDES) -> None:
        """Wait until sides show a head, outline and heatmap both."""
        name = f"L{layer}·H{head}"
        for side in sides:
            expect(self.overview(side)).to_have_attribute("data-selected", name)
            expect(self.title(side)).to_have_text([re.compile(f" · {name}$")])  # one: see `drawn`

    def address_says(self, **wanted: str) -> None:
        pairs = [[name, value] for name, value in wanted.items()]
        self.page.wait_for_function(
            "(wanted) => wanted.every(([name, value]) =>"
            " new URLSearchParams(location.search).get(name) === value)",
            arg=pairs,
        )

    def focused(self) -> dict[str, str]:
        return self.page.evaluate(FOCUSED)


def strongest(weights: np.ndarray) -> tuple[int, int, str]:
    """Query, key and four decimals of the strongest link of a head, (T, T)."""
    shown = weights.astype(np.float64).round(4)  # of links that read the same, the first is said
    query, key = np.unravel_index(shown.argmax(), shown.shape)
    return int(query), int(key), four(weights[query, key])
