"""One server that starts twice: `streamlit run` at first, and `app.py` after a restart.

Many pages are open during the restart. Each visitor does one thing, some while there is no server,
others as their first action after it. The first server keeps no disconnected session.
"""

import re
import socket
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.calculator_page import RIGHT, CalculatorPage
from tests.browser.conftest import APP, ROOT, server_of, visits
from tests.browser.explore_page import CAT, ExplorePage
from tests.browser.visitor import AnyPage, Visitor
from tests.chromium import outside

pytestmark = pytest.mark.browser

STREAMLIT_RUN = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
STREAMLIT_RUN += ["--server.disconnectedSessionTTL", "0", "--server.port"]

LONG_AWAY = re.compile(
    r"No connection to Headlight for ([5-9]|\d\d) s\. Reconnecting\. This page does not change\."
)
NETWORK_ERROR = re.compile("/_stcore/|ERR_CONNECTION_REFUSED|not responding|when disconnected")


def connected(visitor: Visitor):
    return visitor.page.locator('[data-test-connection-state="CONNECTED"]')


def found_again(visitor: Visitor) -> None:
    expect(connected(visitor).and_(visitor.page.locator(":not([inert])"))).to_be_attached()


@pytest.fixture(scope="module")
def restarted(hub_cache, pages) -> Iterator[SimpleNamespace]:
    server, address = server_of(STREAMLIT_RUN, "/_stcore/health", hub_cache)
    with server, visits(pages, address) as visit:
        # The first request to a fresh server is a deep link.
        user = SimpleNamespace(first=visit(address).open(text="hello there", layer="5", head="11"))
        for name in ("Explore", "About"):
            expect(user.first.page.get_by_role("link", name=name)).to_be_visible()
        user.first.shows(5, 11)
        if here := outside():  # bound to loopback
            with pytest.raises(OSError):
                socket.create_connection((here, urlsplit(address).port), timeout=10).close()

        def opened(page: type[Visitor] = ExplorePage, /, *where: str, **view: str) -> Visitor:
            visitor = page(user.first.page.context.new_page(), address)
            visitors.append(visitor)
            visitor.open(*where, **view)
            return visitor

        visitors: list[Visitor] = [user.first]
        user.chip = opened()
        user.stepping = opened(CalculatorPage, mode="own")
        user.entered = opened(text="hello there")
        user.typing = opened(text="hello there")
        user.click = opened(text="hello there", layer="2", head="5")
        user.size = opened(AnyPage, "/positions", "sinusoids", d_model="64", length="50")
        user.order = opened(AnyPage, "/positions", "run_1", kind="shuffle", text="one two three")
        user.practice = opened(CalculatorPage, mode="practice")
        user.practice.fill("weights", RIGHT)
        user.practice.at_rest()
        for each in visitors:
            expect(connected(each)).to_be_attached()
        server.process.kill()
        server.__exit__(None, None, None)
        server.argv = [*APP, server.argv[-1]]
        try:
            for each in visitors:
                expect(connected(each)).not_to_be_attached()
            act_without_a_connection(user)
        finally:
            server.__enter__()
        yield user
        for each in visitors:
            each.complaints[:] = [c for c in each.complaints if not NETWORK_ERROR.search(c)]
            assert each.complaints == each.strangers == []


def act_without_a_connection(user: SimpleNamespace) -> None:
    bar = user.chip.part("reconnect").locator(".bar")
    user.typing.sentence().focus()
    expect(user.typing.part("reconnect").locator(".bar")).to_be_visible()
    expect(user.typing.sentence()).to_be_focused()
    user.typing.sentence().fill("The cat sat")
    user.entered.type("The cat sat on the mat.")
    user.chip.chips().nth(2).click()
    user.stepping.at("allowed", 1, 1).click()
    user.stepping.at("weights", 1, 0).click()
    # By then Streamlit has opened its dialog over the page.
    expect(bar).to_have_text(LONG_AWAY)
    expect(user.chip.page.get_by_role("dialog")).to_have_count(0)
    expect(user.chip.heatmap("left")).to_be_visible()


def test_actions_and_text_without_a_connection_are_kept_and_sent_after_the_reconnect(restarted):
    chip, stepping, entered = restarted.chip, restarted.stepping, restarted.entered
    expect(chip.part("reconnect").locator(".bar")).to_be_hidden()
    chip.address_says(picked="2")
    expect(chip.chips().nth(2)).to_have_attribute("aria-pressed", "true")
    stepping.address_says(look="|pair.1.0", mask="custom", hidden="1-1")
    entered.address_says(text="The cat sat on the mat.")
    expect(entered.chips()).to_have_text(CAT)
    expect(entered.sentence()).to_have_value("The cat sat on the mat.")

    typing = restarted.typing
    found_again(typing)
    typing.at_rest()
    expect(typing.sentence()).to_be_focused()
    expect(typing.sentence()).to_have_value("The cat sat")
    typing.page.keyboard.press("End")
    typing.page.keyboard.type(" on the mat.")
    typing.page.keyboard.press("Enter")
    typing.address_says(text="The cat sat on the mat.")
    expect(typing.chips()).to_have_text(CAT)


def test_the_first_action_after_a_restart_is_applied(restarted):
    explore = restarted.first
    found_again(explore)
    explore.type("The cat sat on the mat.")
    explore.address_says(text="The cat sat on the mat.", layer="5", head="11")
    expect(explore.chips()).to_have_text(CAT)
    expect(explore.sentence()).to_have_value("The cat sat on the mat.")

    explore = restarted.click
    found_again(explore)
    explore.click_head("right", 4, 7)  # a trigger of a fragment
    explore.shows(4, 7, ("right",))
    explore.address_says(text="hello there", right_layer="4", right_head="7")


def test_typed_values_survive_a_restart_and_can_be_edited(restarted):
    positions = restarted.size
    found_again(positions)
    positions.at_rest()  # the restored run has ended
    positions.button("Options").click()
    positions.enter("77", "Length")
    subtitle = positions.plot("sinusoids").locator(".gtitle-subtitle")
    expect(subtitle).to_have_text([re.compile("^77 positions × 64 columns")])
    positions.address_says(length="77", d_model="64")
    expect(positions.text_box("Length")).to_have_value("77")

    positions = restarted.order
    found_again(positions)
    positions.button("Reverse").click()
    words = positions.part("word_order").locator(".words button")
    expect(words).to_have_text([re.compile(each) for each in ("^one", "^two", "^three")])
    positions.address_says(order="0.1.2")

    pupil = restarted.practice
    found_again(pupil)
    pupil.holds("weights", RIGHT)
    pupil.button("Check").click()
    pupil.at_rest()
    pupil.marked("weights", *["right"] * 4)
