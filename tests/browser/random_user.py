"""A simulated user on an unreliable connection: random actions, with the expected view after each.

The browser's key identifies each history entry, and the expected view is stored for it. Entries in
between are not checked. The index of an entry is not reliable, because a browser keeps only fifty
entries.
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
TIMEOUT = 45
"""Seconds until a missing response is a failure. Shorter response times are not checked."""
READ_URL = """() => {
  const parameters = new URLSearchParams(location.search);
  return [parameters.get("text"), parameters.get("layer"), parameters.get("head")];
}"""
READ_HISTORY = (
    """() => [navigation.entries().map((entry) => entry.key), navigation.currentEntry?.index]"""
)


class View(NamedTuple):
    """A sentence with the selected layer and head."""

    text: str
    layer: int
    head: int


class Wire:
    """WebSocket proxy of a page. It can delay the messages of either direction, or drop them."""

    def __init__(self, page) -> None:
        self.page = page
        self.n_connections = 0
        self.late = {"up": False, "down": False}
        self.waiting: list[tuple[WebSocketRoute, bytes | str]] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, page_end: WebSocketRoute) -> None:
        self.n_connections += 1
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


class RandomUser:
    """One simulated user, with the view that the page must show.

    Attributes:
        log: The last actions, for the message of a failure.
    """

    def __init__(self, explore: ExplorePage, seed: int, rough: bool) -> None:
        """Open the page.

        Args:
            explore: A page that is not open yet.
            seed: Seed of the random actions.
            rough: Whether the connection also breaks during an action, and Back is pressed during a
                rerun. The result of these actions is not deterministic yet.
        """
        self.explore, self.page = explore, explore.page
        self.random, self.rough = random.Random(seed), rough
        self.wire = Wire(explore.page)
        self.log: deque[str] = deque(maxlen=12)
        explore.open(text=SENTENCES[0], layer="2", head="5")
        self.views: dict[str, View] = {}
        self.step, self.previous_key = "", ""
        self.is_back_early = False
        self.expected = View(SENTENCES[0], 2, 5)
        self.settle()

    # -- actions ---------------------------------------------------------------------------------

    def act(self) -> None:
        """Do one random action, with a delay or a broken connection, and wait for its result."""
        typing = [self.type, self.enter_twice, self.type_again, self.type_before_response]
        clicking = [self.click, self.click_two, self.click_and_type, self.type_and_click]
        stepping = [self.back, self.back, self.forward, *[self.back_during_rerun] * self.rough]
        act = self.random.choice([*typing, *clicking, *stepping, self.disconnect])
        late = self.random.choice(["", "", "up", "down"])
        cut = self.rough and act not in stepping and self.random.random() < 0.25
        self.log.append(f"{act.__name__} late={late or None} cut={cut}")
        if late:
            self.wire.late[late] = True
        act()
        self.pause()
        if cut:
            self.disconnect()
        self.wire.release()
        self.settle()

    def pause(self) -> None:
        self.page.wait_for_timeout(self.random.choice([0, 30, 150, 400]))

    def disconnect(self) -> None:
        self.wire.cut()

    def other_text(self) -> str:
        return self.random.choice([text for text in SENTENCES if text != self.expected.text])

    def type(self, enters: int = 1) -> None:
        text = self.other_text()
        self.expected = self.expected._replace(text=text)
        self.log.append(f"  {text!r}")
        self.explore.sentence().fill(text)
        for _ in range(enters):
            self.page.keyboard.press("Enter")

    def enter_twice(self) -> None:
        self.type(enters=2)

    def type_again(self) -> None:
        self.type()
        self.pause()
        self.type()

    def type_before_response(self) -> None:
        """Type a second sentence before the response to the first has arrived."""
        self.type()
        text = self.other_text()
        self.explore.sentence().fill(text[:4])
        self.pause()
        self.wire.release()
        self.page.keyboard.type(text[4:], delay=20)
        self.page.keyboard.press("Enter")
        self.expected = self.expected._replace(text=text)
        self.log.append(f"  {text!r}")

    def click(self) -> None:
        layer, head = self.random.randrange(6), self.random.randrange(12)
        self.expected = self.expected._replace(layer=layer, head=head)
        self.log.append(f"  L{layer}·H{head}")
        self.explore.click_head(self.random.choice(SIDES), layer, head)

    def click_two(self) -> None:
        self.click()
        self.pause()
        self.click()

    def click_and_type(self) -> None:
        self.click()
        self.pause()
        self.type()

    def type_and_click(self) -> None:
        self.type()
        self.pause()
        self.click()

    def back(self) -> None:
        self._step(-1)

    def forward(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        key = self.history_key(by)
        if key not in self.views:
            return
        self.expected = self.views[key]
        go = self.page.go_back if by < 0 else self.page.go_forward
        go(wait_until="commit")

    def back_during_rerun(self) -> None:
        """Press Back during a rerun: this must undo the action that is being processed."""
        before = self.expected
        self.previous_key = self.history_key(-1)
        # After half a second without a response, the action may have no history entry yet.
        self.is_back_early = True
        self.random.choice([self.type, self.click])()
        self.pause()
        # `go_back` may wait for the end of the action that it undoes, and this for `release`.
        with suppress(TimeoutError):
            self.page.go_back(wait_until="commit", timeout=1000)
        self.expected = before

    # -- expectations ----------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until every part of the page shows the expected view, and store its history entry.

        Raises:
            AssertionError: If it does not before the timeout.
        """
        deadline, n_matches = time.monotonic() + TIMEOUT, 0
        while n_matches < 2:
            seen = self.shown_views()
            if self.is_back_early and self.history_key(0) == self.previous_key:
                self.expected = self.views.get(self.previous_key, seen["address"])
            n_matches = (
                n_matches + 1 if set(seen.values()) == {self.expected} and self.at_rest() else 0
            )
            if time.monotonic() > deadline:
                raise AssertionError(self.failure(seen))
            self.page.wait_for_timeout(60)
        self.is_back_early = False
        self.step = self.history_key(0)
        self.views[self.step] = self.expected

    def history_key(self, by: int) -> str:
        """Key of the history entry ``by`` steps from the current one; "" if there is none."""
        keys, at = self.page.evaluate(READ_HISTORY)
        return keys[at + by] if at is not None and 0 <= at + by < len(keys) else ""

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

    def failure(self, seen: dict[str, View]) -> str:
        wrong = {part: view for part, view in seen.items() if view != self.expected}
        return (
            f"expected {self.expected}, shown {wrong}, at rest: {self.at_rest()}, after\n"
            + "\n".join(self.log)
        )


def parse_head(name: str) -> tuple[int, int]:
    """Layer and head of a head's name."""
    layer, _, head = name.partition("·")
    return (int(layer[1:]), int(head[1:])) if head else (-1, -1)


def text_of(pieces: list[str]) -> str:
    """The sentence with these tokens; "" if there is none."""
    return next((text for text in SENTENCES if list(truth("scratch", text).tokens) == pieces), "")
