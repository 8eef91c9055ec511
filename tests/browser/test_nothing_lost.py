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
  const head = (side) =>
    `L${parameters.get(`${side}layer`) ?? 3}·H${parameters.get(`${side}head`) ?? 1}`;
  const right = parameters.get("linked") === "0" ? "right_" : "";
  return [parameters.get("text") ?? "", head(""), head(right)];
}"""
# A browser keeps only fifty entries, so the index of an entry is not reliable: its key is.
READ_HISTORY = """(by) => {
  const at = navigation.currentEntry?.index;
  return navigation.entries()[at + by]?.key ?? "";
}"""


class View(NamedTuple):
    text: str
    left: str
    right: str


class RandomUser:
    """One user on an unreliable connection, with the view that the page must show."""

    def __init__(self, explore: ExplorePage, seed: int) -> None:
        self.explore, self.page = explore, explore.page
        self.random = random.Random(seed)
        self.line = Line(explore.page)
        self.log: deque[str] = deque(maxlen=12)
        explore.open(text=SENTENCES[0], layer="2", head="5")
        self.views: dict[str, View] = {}  # of each entry of the history
        self.expected = View(SENTENCES[0], "L2·H5", "L2·H5")
        self.similar = ""  # the side whose head the server selects
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
        side, self.similar = self.random.sample(SIDES, 2)
        self.expected = self.expected._replace(**{side: f"L{layer}·H{head}"})
        self.log.append(f"  {side} L{layer}·H{head}")
        self.explore.click_head(side, layer, head)

    def back(self, by: int = -1) -> None:
        key = self.page.evaluate(READ_HISTORY, by)
        if key in self.views:
            self.expected, self.similar = self.views[key], ""
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
        explore = self.explore
        address = View(*self.page.evaluate(READ_URL))
        if self.similar:
            known = getattr(address, self.similar)
            self.expected = self.expected._replace(**{self.similar: known})
        expected = self.expected
        found = {
            "address": address._replace(text=address.text or DEFAULT),
            "sentence": expected._replace(text=explore.sentence().input_value()),
            "chips": expected._replace(text=text_of(explore.chips().all_inner_texts())),
        }
        for side in SIDES:
            for part, head in (("overview", "selected"), ("heatmap", "head")):
                shown = getattr(explore, part)(side)
                text = shown.get_attribute("data-sentence") or ""
                named = shown.get_attribute(f"data-{head}") or ""
                found[f"{side} {part}"] = expected._replace(**{"text": text, side: named})
        return found


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
    shown = explore.heatmap("right")
    expect(shown).to_have_attribute("data-sentence", SENTENCES[2])
    explore.at_rest()
    line.hold()
    for text in (SENTENCES[4], again):
        explore.type(text)
        line.wait_for(quote_plus(text).encode())  # the end of its response
    line.release()
    expect(shown).to_have_attribute("data-sentence", again)
    assert text_of(explore.chips().all_inner_texts()) == again
