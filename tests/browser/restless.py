"""Somebody restless on a bad line: acts by chance, and what has to be shown after each.

What a step of the browser's history shows is known by its key: an act that makes a step behind
another leaves no doubt about either, and what came in between is not asked for. (Its number says
less: a browser keeps fifty steps and forgets the first.)
"""

import random
import time
from collections import deque
from contextlib import suppress
from typing import NamedTuple

from playwright.sync_api import TimeoutError, WebSocketRoute

from tests.browser.explore_page import DEFAULT, SIDES, ExplorePage, truth

SENTENCES = (
    "hello there",
    "The cat sat on the mat.",
    "Birds sing",
    "She reads, he writes.",
    "one two three one two",
    "It was too late.",
)
PATIENCE = 45
"""Seconds until an answer is given up; nothing is said of how long it takes."""

ADDRESS = """() => {
  const said = new URLSearchParams(location.search);
  return [said.get("text"), said.get("layer"), said.get("head")];
}"""
STEPS = """() => [navigation.entries().map((entry) => entry.key), navigation.currentEntry?.index]"""


class View(NamedTuple):
    """What a person sees of a sentence."""

    text: str
    layer: int
    head: int


class Wire:
    """The live line of a page: what travels on it, either way, may be late or be lost."""

    def __init__(self, page) -> None:
        self.page = page
        self.n_wires = 0
        self.late = {"up": False, "down": False}
        self.waiting: list[tuple[WebSocketRoute, bytes | str]] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, page_end: WebSocketRoute) -> None:
        self.n_wires += 1
        self.page_end, server_end = page_end, page_end.connect_to_server()
        page_end.on_message(lambda message: self._pass("up", server_end, message))
        server_end.on_message(lambda message: self._pass("down", page_end, message))

    def _pass(self, way: str, to: WebSocketRoute, message: bytes | str) -> None:
        if self.late[way]:
            self.waiting.append((to, message))
        else:
            to.send(message)

    def let_go(self) -> None:
        self.late = {"up": False, "down": False}
        waiting, self.waiting = self.waiting, []
        for to, message in waiting:
            to.send(message)

    def cut(self) -> None:
        """What is on its way is lost; the browser is left to find the server again."""
        self.late, self.waiting = {"up": False, "down": False}, []
        self.page_end.close()


class Restless:
    """One person, and what they must be seeing.

    Attributes:
        done: The last acts, in words.
    """

    def __init__(self, explore: ExplorePage, seed: int, rough: bool) -> None:
        """Open the page.

        Args:
            explore: Of somebody who has not opened anything.
            seed: Of what is done.
            rough: Whether the line also breaks in the middle of an act, and steps back are taken
                in the middle of one. What comes of that is not yet the same each time.
        """
        self.explore, self.page = explore, explore.page
        self.chance, self.rough = random.Random(seed), rough
        self.wire = Wire(explore.page)
        self.done: deque[str] = deque(maxlen=12)
        explore.open(text=SENTENCES[0], layer="2", head="5")
        self.steps: dict[str, View] = {}
        self.step, self.earlier = "", ""
        self.early = False
        self.wanted = View(SENTENCES[0], 2, 5)
        self.settle()

    # -- what is done ----------------------------------------------------------------------------

    def act(self) -> None:
        """One thing, on a line that may be slow meanwhile or break, and what must come of it."""
        typing = [self.type, self.twice, self.over, self.unfinished]
        clicking = [self.click, self.click_two, self.both, self.both_other]
        stepping = [self.back, self.back, self.forward, *[self.back_early] * self.rough]
        act = self.chance.choice([*typing, *clicking, *stepping, self.break_off])
        late = self.chance.choice(["", "", "up", "down"])
        cut = self.rough and act not in stepping and self.chance.random() < 0.25
        self.done.append(f"{act.__name__} late={late or None} cut={cut}")
        if late:
            self.wire.late[late] = True
        act()
        self.pause()
        if cut:
            self.break_off()
        self.wire.let_go()
        self.settle()

    def pause(self) -> None:
        self.page.wait_for_timeout(self.chance.choice([0, 30, 150, 400]))

    def break_off(self) -> None:
        self.wire.cut()

    def other_text(self) -> str:
        return self.chance.choice([text for text in SENTENCES if text != self.wanted.text])

    def type(self, enters: int = 1) -> None:
        text = self.other_text()
        self.wanted = self.wanted._replace(text=text)
        self.done.append(f"  {text!r}")
        self.explore.sentence().fill(text)
        for _ in range(enters):
            self.page.keyboard.press("Enter")

    def twice(self) -> None:
        self.type(enters=2)

    def over(self) -> None:
        self.type()
        self.pause()
        self.type()

    def unfinished(self) -> None:
        """Types on while the answer to what was typed before is on its way."""
        self.type()
        text = self.other_text()
        self.explore.sentence().fill(text[:4])
        self.pause()
        self.wire.let_go()
        self.page.keyboard.type(text[4:], delay=20)
        self.page.keyboard.press("Enter")
        self.wanted = self.wanted._replace(text=text)
        self.done.append(f"  {text!r}")

    def click(self) -> None:
        layer, head = self.chance.randrange(6), self.chance.randrange(12)
        self.wanted = self.wanted._replace(layer=layer, head=head)
        self.done.append(f"  L{layer}·H{head}")
        self.explore.click_head(self.chance.choice(SIDES), layer, head)

    def click_two(self) -> None:
        self.click()
        self.pause()
        self.click()

    def both(self) -> None:
        self.click()
        self.pause()
        self.type()

    def both_other(self) -> None:
        self.type()
        self.pause()
        self.click()

    def back(self) -> None:
        self._step(-1)

    def forward(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        there = self.beside(by)
        if there not in self.steps:
            return
        self.wanted = self.steps[there]
        go = self.page.go_back if by < 0 else self.page.go_forward
        go(wait_until="commit")

    def back_early(self) -> None:
        """Back, while the server is at work on something else: that is what is taken back."""
        before = self.wanted
        self.earlier = self.beside(-1)
        # Where half a second was not enough to hear of the act, its step is not there yet.
        self.early = True
        self.chance.choice([self.type, self.click])()
        self.pause()
        # The step waits for what it takes back, and that may wait for this to be over.
        with suppress(TimeoutError):
            self.page.go_back(wait_until="commit", timeout=1000)
        self.wanted = before

    # -- what is seen ----------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until what was done last is what is shown, everywhere; and note its step.

        Raises:
            AssertionError: If it is not, and will not be.
        """
        deadline, still = time.monotonic() + PATIENCE, 0
        while still < 2:
            seen = self.seen()
            if self.early and self.beside(0) == self.earlier:
                self.wanted = self.steps.get(self.earlier, seen["address"])
            still = still + 1 if set(seen.values()) == {self.wanted} and self.at_rest() else 0
            if time.monotonic() > deadline:
                raise AssertionError(self.told(seen))
            self.page.wait_for_timeout(60)
        self.early = False
        self.step = self.beside(0)
        self.steps[self.step] = self.wanted

    def beside(self, by: int) -> str:
        """The key of the step so many steps from the present one; blank if there is none."""
        keys, at = self.page.evaluate(STEPS)
        return keys[at + by] if at is not None and 0 <= at + by < len(keys) else ""

    def at_rest(self) -> bool:
        return self.page.locator(
            '[data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
            ":not([inert])"
        ).is_visible()

    def seen(self) -> dict[str, View]:
        """What each part of the page says, as a view; a part that it doesn't tell is as wanted."""
        explore, wanted = self.explore, self.wanted
        text, layer, head = self.page.evaluate(ADDRESS)
        found = {
            "address": View(text or DEFAULT, int(layer or 3), int(head or 1)),
            "sentence": wanted._replace(text=explore.sentence().input_value()),
            "pieces": wanted._replace(text=text_of(explore.pieces().all_inner_texts())),
        }
        for name in ("Layer", "Head"):
            chosen = int(explore.box(name).input_value()[1:] or -1)
            found[name] = wanted._replace(**{name.lower(): chosen})
        for side in SIDES:
            place = explore.overview(side).get_attribute("data-selected") or ""
            found[f"{side} overview"] = View(wanted.text, *placed(place))
            title = "".join(explore.title(side).all_text_contents())
            under = "".join(explore.subtitle(side).all_text_contents())
            busy = explore.figure(side).get_attribute("aria-busy") == "true"
            found[f"{side} heatmap"] = View("" if busy else under, *placed(title.split(" · ")[-1]))
        return found

    def told(self, seen: dict[str, View]) -> str:
        wrong = {part: view for part, view in seen.items() if view != self.wanted}
        return (
            f"wanted {self.wanted}, shown {wrong}, at rest: {self.at_rest()}, after\n"
            + "\n".join(self.done)
        )


def placed(name: str) -> tuple[int, int]:
    """A head by its name."""
    layer, _, head = name.partition("·")
    return (int(layer[1:]), int(head[1:])) if head else (-1, -1)


def text_of(pieces: list[str]) -> str:
    """Which sentence has these pieces, if any."""
    return next((text for text in SENTENCES if list(truth("scratch", text).tokens) == pieces), "")
