"""Input after a restart of the server is processed.

A restart takes seconds, so all tests use the same server, and most of them share one restart,
during which many pages are open. The user of each page does one thing.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmarks.browser import Server
from tests.browser.calculator_page import CalculatorPage
from tests.browser.conftest import APP, server_of, visits
from tests.browser.explore_page import ExplorePage
from tests.browser.positions_page import PositionsPage
from tests.browser.test_practice import RIGHT, all_marked, fill
from tests.browser.test_training import NAMES, slider
from tests.browser.visitor import Kind, Visitor

pytestmark = pytest.mark.browser

CAT = ["[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"]

AWAY = re.compile(
    r"^No connection to Headlight for \d s\. Reconnecting\. This page does not change\.$"
)
LONG_AWAY = re.compile(r" for ([5-9]|\d\d) s\. ")


class Restarting:
    """A server that can be killed and started again at the same address, and its visitors."""

    def __init__(self, server: Server, address: str, visit: Callable[..., Visitor]) -> None:
        self.server, self.address, self.visit = server, address, visit
        self.visitors: list[Visitor] = []

    def visitor(self, page: type[Kind] = ExplorePage, **address: str) -> Kind:
        self.visitors.append(self.visit(self.address, page, lasts=True).open(**address))
        return self.visitors[-1]

    def restart(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        for visitor in self.visitors:
            expect(connected(visitor)).to_be_attached()
        self.server.process.kill()
        self.server.__exit__(None, None, None)
        try:
            for visitor in self.visitors:
                expect(connected(visitor)).not_to_be_attached()
            meanwhile()
        finally:
            self.server.__enter__()

    def found_again(self, visitor: Kind) -> Kind:
        expect(connected(visitor).and_(visitor.page.locator(":not([inert])"))).to_be_attached()
        return visitor

    def ignore_network_errors(self) -> None:
        """Remove the errors that the browser reports while there is no server."""
        away = re.compile("/_stcore/|ERR_CONNECTION_REFUSED|not responding|when disconnected")
        for visitor in self.visitors:
            visitor.complaints[:] = [c for c in visitor.complaints if not away.search(c)]


def connected(visitor: Visitor):
    return visitor.page.locator('[data-test-connection-state="CONNECTED"]')


@pytest.fixture(scope="module")
def own(hub_cache) -> Iterator[tuple[Server, str]]:
    """A server that nobody else needs, and its address."""
    server, address = server_of(APP, "/api/ready", hub_cache)
    with server:
        yield server, address


@pytest.fixture
def restarting(own, visit) -> Iterator[Restarting]:
    running = Restarting(*own, visit)
    yield running
    running.ignore_network_errors()


def test_actions_without_a_connection_are_sent_after_the_reconnect(restarting: Restarting):
    training = restarting.visitor(left=NAMES[2], layer="2", head="5")
    chipping = restarting.visitor()
    stepping = restarting.visitor(CalculatorPage, mode="own")

    def act() -> None:
        slider(training).focus()
        training.page.keyboard.press("Home")
        chipping.chips().nth(2).click()
        stepping.at("allowed", 1, 1).click()
        stepping.at("weights", 1, 0).click()
        # By then Streamlit has opened its dialog over the page.
        expect(chipping.part("reconnect").locator(".bar")).to_have_text(LONG_AWAY)
        expect(chipping.part("reconnect").get_by_role("status")).to_have_text(AWAY)
        expect(chipping.page.get_by_role("dialog")).to_have_count(0)
        expect(chipping.figure("left")).to_be_visible()

    restarting.restart(act)
    expect(chipping.part("reconnect").locator(".bar")).to_be_hidden()
    training.address_says(left=NAMES[0], layer="2", head="5")
    expect(training.picker("left")).to_have_value(NAMES[0])
    expect(slider(training)).to_have_value("0")
    chipping.address_says(picked="2")
    expect(chipping.chips().nth(2)).to_have_attribute("aria-pressed", "true")
    stepping.address_says(look="|pair.1.0", mask="custom", hidden="1-1")


def test_text_typed_without_a_connection_is_read_after_the_reconnect(restarting: Restarting):
    entered, typing = restarting.visitor(text="hello there"), restarting.visitor(text="hello there")
    for each in (entered, typing):
        each.sentence().focus()

    def act() -> None:
        for each in (entered, typing):
            expect(each.part("reconnect").locator(".bar")).to_be_visible()
            expect(each.sentence()).to_be_focused()
        entered.type("The cat sat on the mat.")
        typing.sentence().fill("The cat sat")

    restarting.restart(act)
    entered.address_says(text="The cat sat on the mat.")
    expect(entered.pieces()).to_have_text(CAT)
    expect(entered.sentence()).to_have_value("The cat sat on the mat.")
    restarting.found_again(typing).at_rest()
    expect(typing.sentence()).to_be_focused()
    expect(typing.sentence()).to_have_value("The cat sat")
    typing.page.keyboard.press("End")
    typing.page.keyboard.type(" on the mat.")
    typing.page.keyboard.press("Enter")
    typing.address_says(text="The cat sat on the mat.")
    expect(typing.pieces()).to_have_text(CAT)


@pytest.fixture(scope="module")
def restarted(own, pages, base) -> Iterator[Callable[[str], Any]]:
    """Return the visitors by name. Their pages were open during one restart of the server.

    No visitor has done anything since the restart.
    """
    view = {"text": "hello there", "layer": "2", "head": "5"}
    with visits(pages, base) as visit:
        running = Restarting(*own, visit)
        opened = {name: running.visitor(**view) for name in ("type", "click", "merge", "example")}
        opened["box"] = running.visitor(layer="2", head="5")
        opened["chip"] = running.visitor(layer="2", head="5")
        # The slider of the training is open at first.
        opened["training"] = running.visitor(left=NAMES[2], layer="2", head="5")
        opened["lines"] = running.visitor(view="lines")
        opened["steps"] = running.visitor(CalculatorPage, mode="own", look="|pair.0.1")
        opened["size"] = running.visitor(PositionsPage, d_model="64", length="50")
        opened["order"] = running.visitor(PositionsPage, kind="shuffle", text="one two three")
        opened["own numbers"] = running.visitor(CalculatorPage, mode="own")
        opened["practice"] = running.visitor(CalculatorPage, mode="practice")
        fill(opened["practice"], "weights", RIGHT)
        opened["practice"].at_rest()
        running.restart()
        yield lambda name: running.found_again(opened[name])
        running.ignore_network_errors()


def test_the_first_action_after_a_restart_is_applied(restarted):
    explore = restarted("type")
    explore.type("The cat sat on the mat.")
    explore.address_says(text="The cat sat on the mat.", layer="2", head="5")
    expect(explore.pieces()).to_have_text(CAT)
    expect(explore.sentence()).to_have_value("The cat sat on the mat.")

    explore = restarted("click")
    explore.click_head("right", 4, 7)  # a trigger of a fragment
    explore.shows(4, 7)
    explore.address_says(text="hello there", layer="4", head="7")

    explore = restarted("merge")
    explore.display("Merge word pieces")
    explore.address_says(words="1", text="hello there", layer="2")
    explore.page.get_by_role("button", name="Display").click()
    expect(explore.page.get_by_role("switch", name="Merge word pieces")).to_be_checked()

    explore = restarted("example")
    explore.page.get_by_role("button", name="Examples").click()
    explore.part("example").get_by_text("A [MASK]").click()  # a callback fills two boxes
    explore.address_says(text="She put the book on the [MASK].", layer="2", head="5")
    expect(explore.pieces().nth(1)).to_have_text("she")
    expect(explore.sentence()).to_have_value("She put the book on the [MASK].")


def test_the_first_action_in_a_component_after_a_restart_is_applied(restarted):
    explore = restarted("box")
    explore.box("Layer").click()  # a select box in a fragment
    explore.page.get_by_role("option", name="L4", exact=True).click()
    explore.shows(4, 5)
    explore.address_says(layer="4", head="5")

    explore = restarted("chip")
    explore.chips().nth(2).click()
    explore.address_says(picked="2", layer="2")
    expect(explore.chips().nth(2)).to_have_attribute("aria-pressed", "true")

    explore = restarted("lines")
    row = (explore.lines("right").bounding_box()["height"] - 8) / 16
    explore.lines("right").click(position={"x": 20, "y": 4 + 2.5 * row})
    explore.address_says(view="lines", picked="2")

    explore = restarted("training")
    slider(explore).focus()
    explore.page.keyboard.press("Home")
    explore.address_says(left=NAMES[0], layer="2")
    expect(explore.picker("left")).to_have_value(NAMES[0])

    calculator = restarted("steps")
    calculator.at("weights", 1, 0).click()
    calculator.at("allowed", 1, 1).click()
    calculator.address_says(look="|pair.1.0", mask="custom", hidden="1-1")


def test_typed_values_survive_a_restart_and_can_be_edited(restarted):
    positions = restarted("size")
    positions.set("Length (positions)", "77")
    drawn = re.compile("^77 positions × 64 dimensions")
    expect(positions.subtitle("sinusoids")).to_have_text([drawn])  # one: see `drawn`
    positions.address_says(length="77", d_model="64")
    expect(positions.number("Length (positions)")).to_have_value("77")

    positions = restarted("order")
    positions.press("Reverse")
    positions.expect_order("three", "two", "one")
    positions.address_says(order="2.1.0")

    calculator = restarted("own numbers")
    calculator.type("q", 0, 0, "5")
    expect(calculator.table("raw_scores").locator("td").first).to_have_text("5.0000")
    expect(calculator.cell("q", 0, 0)).to_have_value("5")

    pupil = restarted("practice")
    pupil.at_rest()
    pupil.holds("weights", *(text for row in RIGHT for text in row))
    pupil.press("Check")
    all_marked(pupil, "weights", ["right"] * 4)
    pupil.holds("weights", *(text for row in RIGHT for text in row))
