"""The page shows the user's last action, also after lost connections and delayed messages.

The actions are random, with a fixed seed. To run them for ten minutes, with ``--seed`` for another
seed: ``pytest --restless 10 --timeout 0 -s tests/browser/test_nothing_lost.py``.
"""

import random
import re
import time
from collections import deque
from typing import NamedTuple
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from tests.browser.explore_page import SIDES, ExplorePage
from tests.browser.visitor import PATIENCE, Line
from tests.components.explore import DEFAULT, truth

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
    text: str
    layer: int
    head: int


class RandomUser:
    """One user on an unreliable connection, with the view that the page must show."""

    def __init__(self, explore: ExplorePage, seed: int) -> None:
        self.explore, self.page = explore, explore.page
        self.random = random.Random(seed)
        self.line = Line(explore.page)
        self.log: deque[str] = deque(maxlen=12)
        explore.open(text=SENTENCES[0], layer="2", head="5")
        self.views: dict[str, View] = {}  # of each entry of the history
        self.expected = View(SENTENCES[0], 2, 5)
        self.settle()

    def act(self) -> None:
        """Do one random action, with a delay or a broken connection, and wait for its result."""
        actions = (
            *((self.type,), (self.type, self.type), (self.type_before_response,)),
            *((self.click,), (self.click, self.click), (self.click, self.type)),
            *((self.type, self.click), (self.back,), (self.back,), (self.forward,)),
            (self.line.cut,),
        )
        steps = self.random.choice(actions)
        late = self.random.choice(["", "", "up", "down"])
        self.log.append(f"{[step.__name__ for step in steps]} late={late or None}")
        if late:
            self.line.hold(late)
        for step in steps:
            step()
            self.page.wait_for_timeout(self.random.choice([0, 30, 150, 400]))
        self.line.release()
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
        self.line.release()
        self.page.keyboard.type(text[4:], delay=20)
        self.page.keyboard.press("Enter")

    def click(self) -> None:
        layer, head = self.random.randrange(6), self.random.randrange(12)
        self.expected = self.expected._replace(layer=layer, head=head)
        self.log.append(f"  L{layer}·H{head}")
        self.explore.click_head(self.random.choice(SIDES), layer, head)

    def back(self, by: int = -1) -> None:
        key = self.page.evaluate(READ_HISTORY, by)
        if key in self.views:
            self.expected = self.views[key]
            self.page.evaluate("(by) => history.go(by)", by)

    def forward(self) -> None:
        self.back(1)

    def settle(self) -> None:
        """Wait until every part shows the expected view, and note it for the history entry."""
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
    line, again = Line(explore.page), SENTENCES[1]
    explore.open(text=again)
    explore.type(SENTENCES[2])
    expect(explore.subtitle("right")).to_have_text(SENTENCES[2])
    explore.at_rest()
    line.hold()
    for text in (SENTENCES[4], again):
        explore.type(text)
        line.wait_for(quote_plus(text).encode())  # the end of its response
    line.release()
    expect(explore.subtitle("right")).to_have_text(again)
    assert text_of(explore.pieces().all_inner_texts()) == again
