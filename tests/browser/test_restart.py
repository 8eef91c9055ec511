"""The server is killed under an open page and started again: what a person then does counts."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import APP, server_of
from tests.browser.explore_page import ExplorePage
from tests.browser.positions_page import PositionsPage
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser


class Restarting:
    """A server at one address that can be killed and started again."""

    def __init__(self, hub_cache) -> None:
        self.server, self.address = server_of(APP, "/api/ready", hub_cache)
        self.server.__enter__()

    def restart_under(self, visitor: Visitor) -> None:
        connected = visitor.page.locator('[data-test-connection-state="CONNECTED"]')
        expect(connected).to_be_attached()
        self.server.__exit__(None, None, None)
        expect(connected).not_to_be_attached()
        self.server.__enter__()
        expect(connected).to_be_attached()
        visitor.complaints.clear()  # of a browser that found nobody


@pytest.fixture
def restarting(hub_cache) -> Iterator[Restarting]:
    running = Restarting(hub_cache)
    yield running
    running.server.__exit__(None, None, None)


def test_what_is_done_first_after_a_restart_is_what_is_shown(
    restarting: Restarting, visit: Callable[..., ExplorePage]
):
    explore = visit(restarting.address).open(text="hello there", layer="2", head="5")
    restarting.restart_under(explore)
    explore.type("The cat sat on the mat.")
    explore.address_says(text="The cat sat on the mat.", layer="2", head="5")
    expect(explore.pieces()).to_have_text(
        ["[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"]
    )
    expect(explore.sentence()).to_have_value("The cat sat on the mat.")
    restarting.restart_under(explore)
    explore.click_head("right", 4, 7)  # a trigger, told to a fragment
    explore.shows(4, 7)
    explore.address_says(text="The cat sat on the mat.", layer="4", head="7")


def test_a_size_typed_first_after_a_restart_is_the_size_that_is_drawn(
    restarting: Restarting, visit: Callable[..., PositionsPage]
):
    positions = visit(restarting.address, PositionsPage).open(d_model="64", length="50")
    restarting.restart_under(positions)
    length = positions.page.get_by_label("Positions", exact=True)
    length.fill("77")
    positions.page.keyboard.press("Enter")
    expect(positions.subtitle("sinusoids")).to_contain_text("77 positions × 64 dimensions")
    positions.address_says(length="77", d_model="64")
    expect(length).to_have_value("77")
