"""The page shows the user's last action, also after lost connections and delayed messages.

The actions are random, with a fixed seed. To run them for ten minutes, with ``--seed`` for another
seed: ``pytest --restless 10 --timeout 0 -s tests/browser/test_nothing_lost.py``.
"""

import random
import re
import time
from collections import deque
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.explore_page import DEFAULT, SIDES, ExplorePage, truth
from tests.browser.visitor import PATIENCE

pytestmark = pytest.mark.browser

N_ACTIONS = 12
"""Number of actions without ``--restless``."""

SENTENCES = (
    "hello there",
    "The cat sat on the mat.",
    "Birds sing",
    "She reads, he writes.",
    "one two three one two",
    "It was too late.",
)
READ_URL = """() => {
  const parameters = new URLSearchParams(location.search);
  return [parameters.get("text"), parameters.get("layer"), parameters.get("head")];
}"""
# A browser keeps only fifty entries, so the index of an entry is not reliable: its key is.
READ_HISTORY = """(by) => {
  const at = navigation.currentEntry?.index;
  return navigation.entries()[at + by]?.key ?? "";
}"""


class View(NamedTuple):
    """A sentence with the selected layer and head."""

    text: str
    layer: int
    head: int


class Wire:
    """WebSocket proxy of a page. It can delay the messages of either direction, or drop them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.late = {"up": False, "down": False}
        self.waiting: list[tuple[WebSocketRoute, bytes | str]] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, page_end: WebSocketRoute) -> None:
        self.page_end, server_end = page_end, page_end.connect_to_server()
        page_end.on_message(lambda message: self._pass("up", server_end, message))
        server_end.on_message(lambda message: self._pass("down", page_end, message))

    def _pass(self, way: str, to: WebSocketRoute, message: bytes | str) -> None:
        if self.late[way]:
            self.waiting.append((to, message))
        else:
            to.send(message)

    def release(self) -> None:
        self.late = {"up": False, "down": False}
        waiting, self.waiting = self.waiting, []
        for to, message in waiting:
            to.send(message)

    def cut(self) -> None:
        """Drop the delayed messages and close the connection; the browser must reconnect."""
        self.late, self.waiting = {"up": False, "down": False}, []
        self.page_end.close()

    def drain(self) -> None:
        """Wait until the server has sent all its messages."""
        n_before = -1
        while n_before != len(self.waiting) or not n_before:
            n_before = len(self.waiting)
            self.page.wait_for_timeout(400)


class RandomUser:
    """One user on an unreliable connection, with the view that the page must show.

    Attributes:
        log: The last actions, for the message of a failure.
        views: The expected view of each entry of the history.
    """

    def __init__(self, explore: ExplorePage, seed: int) -> None:
        self.explore, self.page = explore, explore.page
        self.random = random.Random(seed)
        self.wire = Wire(explore.page)
        self.log: deque[str] = deque(maxlen=12)
        explore.open(text=SENTENCES[0], layer="2", head="5")
        self.views: dict[str, View] = {}
        self.expected = View(SENTENCES[0], 2, 5)
        self.settle()

    # -- actions ---------------------------------------------------------------------------------

    def act(self) -> None:
        """Do one random action, with a delay or a broken connection, and wait for its result."""
        actions = (
            *((self.type,), (self.type, self.type), (self.type_before_response,)),
            *((self.click,), (self.click, self.click), (self.click, self.type)),
            *((self.type, self.click), (self.back,), (self.back,), (self.forward,)),
            (self.wire.cut,),
        )
        steps = self.random.choice(actions)
        late = self.random.choice(["", "", "up", "down"])
        self.log.append(f"{[step.__name__ for step in steps]} late={late or None}")
        if late:
            self.wire.late[late] = True
        for step in steps:
            step()
            self.page.wait_for_timeout(self.random.choice([0, 30, 150, 400]))
        self.wire.release()
        self.settle()

    def other_text(self) -> str:
        text = self.random.choice([each for each in SENTENCES if each != self.expected.text])
        self.expected = self.expected._replace(text=text)
        self.log.append(f"  {text!r}")
        return text

    def type(self) -> None:
        self.explore.type(self.other_text())
        for _ in range(self.random.choice([0, 0, 1])):
            self.page.keyboard.press("Enter")

    def type_before_response(self) -> None:
        """Type a second sentence before the response to the first has arrived."""
        self.type()
        text = self.other_text()
        self.explore.sentence().fill(text[:4])
        self.wire.release()
        self.page.keyboard.type(text[4:], delay=20)
        self.page.keyboard.press("Enter")

    def click(self) -> None:
        layer, head = self.random.randrange(6), self.random.randrange(12)
        self.expected = self.expected._replace(layer=layer, head=head)
        self.log.append(f"  L{layer}·H{head}")
        self.explore.click_head(self.random.choice(SIDES), layer, head)

    def back(self) -> None:
        self._step(-1, self.page.go_back)

    def forward(self) -> None:
        self._step(1, self.page.go_forward)

    def _step(self, by: int, go) -> None:
        key = self.page.evaluate(READ_HISTORY, by)
        if key in self.views:
            self.expected = self.views[key]
            go(wait_until="commit")

    # -- expectations ----------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until every part of the page shows the expected view, and store its history entry.

        Raises:
            AssertionError: If it does not before the timeout.
        """
        deadline, n_matches = time.monotonic() + PATIENCE / 1000, 0
        while n_matches < 2:
            seen = self.shown_views()
            right = set(seen.values()) == {self.expected} and self.at_rest()
            n_matches = n_matches + 1 if right else 0
            if time.monotonic() > deadline:
                wrong = {part: view for part, view in seen.items() if view != self.expected}
                log = "\n".join(self.log)
                raise AssertionError(f"expected {self.expected}, shown {wrong}, after\n{log}")
            self.page.wait_for_timeout(60)
        self.views[self.page.evaluate(READ_HISTORY, 0)] = self.expected

    def at_rest(self) -> bool:
        return self.page.locator(
            '[data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
            ":not([inert])"
        ).is_visible()

    def shown_views(self) -> dict[str, View]:
        """The view that each part of the page shows; the expected values fill the gaps."""
        explore, expected = self.explore, self.expected
        text, layer, head = self.page.evaluate(READ_URL)
        found = {
            "address": View(text or DEFAULT, int(layer or 3), int(head or 1)),
            "sentence": expected._replace(text=explore.sentence().input_value()),
            "pieces": expected._replace(text=text_of(explore.pieces().all_inner_texts())),
        }
        for name in ("Layer", "Head"):
            chosen = int(explore.box(name).input_value()[1:] or -1)
            found[name] = expected._replace(**{name.lower(): chosen})
        for side in SIDES:
            place = explore.overview(side).get_attribute("data-selected") or ""
            found[f"{side} overview"] = View(expected.text, *parse_head(place))
            title = "".join(explore.title(side).all_text_contents())
            under = "".join(explore.subtitle(side).all_text_contents())
            busy = explore.figure(side).get_attribute("aria-busy") == "true"
            found[f"{side} heatmap"] = View(
                "" if busy else under, *parse_head(title.split(" · ")[-1])
            )
        return found


def parse_head(name: str) -> tuple[int, int]:
    """Layer and head of a head's name."""
    layer, _, head = name.partition("·")
    return (int(layer[1:]), int(head[1:])) if head else (-1, -1)


def text_of(pieces: list[str]) -> str:
    """The sentence with these tokens; "" if there is none."""
    return next((text for text in SENTENCES if list(truth("scratch", text).tokens) == pieces), "")


def test_the_page_shows_the_last_of_many_random_actions(explore, request):
    minutes = request.config.getoption("--restless")
    user = RandomUser(explore, request.config.getoption("--seed"))
    deadline, n_actions = time.monotonic() + 60 * minutes, 0
    while n_actions < N_ACTIONS or time.monotonic() < deadline:
        user.act()
        n_actions += 1
    # Streamlit's script logs errors while the connection is down, and sends the input later.
    cut = "when disconnected|/_stcore/|server is not responding"
    explore.complaints[:] = [c for c in explore.complaints if not re.search(cut, c)]


def test_a_cached_sentence_is_shown_although_the_browser_just_evicted_it(explore):
    # The server sees a cached message; the delayed response makes the browser evict it.
    wire, again = Wire(explore.page), SENTENCES[1]
    explore.open(text=again)
    explore.type(SENTENCES[2])
    expect(explore.subtitle("right")).to_have_text(SENTENCES[2])
    explore.at_rest()
    wire.late["down"] = True
    for text in (SENTENCES[3], again):
        explore.type(text)
        wire.drain()
    wire.release()
    expect(explore.subtitle("right")).to_have_text(again)
    assert text_of(explore.pieces().all_inner_texts()) == again
