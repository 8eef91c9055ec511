"""The first visit: little to load, a hint, lost files, a phone, a lesson."""

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.explore_page import SIDES, ExplorePage
from tests.browser.visitor import MOVED, Visitor
from tests.components.explore import DEFAULT, spot
from web.plotly_bundle import CARTESIAN_PLOTLY, PLOTLY

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


def test_a_first_visit_loads_little_and_its_layout_is_stable(visit, base):
    """Compressed bytes: from localhost a browser accepts every encoding, as with https."""
    newcomer = visit(base, new=True)
    newcomer.page.add_init_script(MOVED)
    cdp = newcomer.page.context.new_cdp_session(newcomer.page)
    answers, sizes = {}, {}
    cdp.on("Network.responseReceived", lambda e: answers.update({e["requestId"]: e["response"]}))
    cdp.on(
        "Network.loadingFinished",
        lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]}),
    )
    cdp.send("Network.enable")
    newcomer.open()
    for side, name in zip(SIDES, ("scratch", "minilm"), strict=True):
        expect(newcomer.title(side)).to_have_text(f"{name} · L3·H1")
        box = newcomer.overview(side).bounding_box()
        assert box["y"] + box["height"] <= 900
    newcomer.address_says(text=DEFAULT, left="scratch", right="minilm", layer="3", head="1")
    assert newcomer.page.evaluate("window.moved") < 0.05
    step = newcomer.said().locator(".next")
    expect(step).to_have_text("Select a word above.")
    most = 1.55e6 if PLOTLY == CARTESIAN_PLOTLY else 2.4e6  # 8.0 MB as Streamlit sends it
    assert 0.5e6 < sum(sizes.values()) < most
    assert sum(newcomer.received) < 0.3e6
    for number, answer in answers.items():
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        large = sizes.get(number, 0) > 2000 and not answer["url"].startswith("data:")
        if large and answer["mimeType"].endswith(("javascript", "css", "html", "json")):
            assert headers["content-encoding"] in ("zstd", "br", "gzip"), answer["url"]
            assert "script-src 'self'" in headers["content-security-policy"]
    urls = [answer["url"] for answer in answers.values()]
    assert sum("/api/plotly-" in url for url in urls) == 1
    assert not any("PlotlyChart" in url for url in urls)  # the chart of Streamlit
    assert sum("immutable" in str(answer["headers"]) for answer in answers.values()) > 50

    newcomer.chips().nth(10).click()
    expect(step).to_have_count(0)


def test_a_lost_file_is_requested_again(visit, base):
    explore = visit(base, new=True)
    lost: list[str] = []
    held: list[Route] = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        route.abort()

    def hold(route: Route) -> None:  # the script that notices lost scripts comes late
        held.append(route) if len(lost) < 2 else route.continue_()

    explore.page.route("**/api/components/capture_view-*.js", lose, times=1)
    explore.page.route("**/api/components/reconnect-*.js", hold)
    explore.open()
    # Streamlit shows an error in place of a lost widget: the page is loaded again.
    explore.page.route("**/static/js/NumberInput.*.js", lose, times=1)
    explore.menu("Positions")
    expect(explore.page.get_by_text("Failed to fetch").first).to_be_visible()
    held[0].continue_()
    expect(explore.page.get_by_test_id("stNumberInput").first).to_be_visible()
    assert ["capture_view" in url for url in lost] == [True, False]
    noise = ("capture_view-", "NumberInput", "ERR_FAILED")
    explore.complaints[:] = [c for c in explore.complaints if not any(n in c for n in noise)]


def test_on_a_phone_everything_is_in_reach(visit, base):
    explore = visit(base, new=True, viewport=PHONE, has_touch=True)
    explore.page.add_init_script(MOVED)
    explore.open()
    assert explore.page.evaluate("window.moved") < 0.1
    other, said = (explore.overview(side).bounding_box() for side in SIDES)
    assert said["x"] == other["x"] and said["y"] + said["height"] < other["y"]
    assert said["width"] > 300 and said["y"] + said["height"] < 844  # on the first screen
    parts = explore.page.locator(".st-key-sentence_form > *").all()
    tops = sorted(part.bounding_box()["y"] for part in parts)
    assert len(parts) == 4 and sum(after - before > 20 for before, after in pairwise(tops)) == 1
    explore.overview("left").tap(position=spot(explore.overview("left"), 2, 4))
    explore.shows(2, 4, ("left",))

    menu = explore.page.get_by_test_id("stSidebar")
    button = explore.page.get_by_test_id("stExpandSidebarButton")
    assert button.evaluate("e => getComputedStyle(e, '::after').content") == '"Menu"'
    about = menu.get_by_role("link", name="About")
    button.tap()
    expect(about).to_be_in_viewport()
    explore.page.reload()  # an open menu does not cover the next load
    explore.drawn()
    expect(about).not_to_be_in_viewport()
    button.tap()
    about.tap()
    expect(explore.page.get_by_role("heading", name="What attention is")).to_be_visible()
    expect(menu).to_have_attribute("data-collapsed", "true")
    for path, last in (("decoder", "decoding"), ("calculator", "steps")):  # many inputs
        explore.page.goto(f"{base}/{path}")
        expect(explore.page.locator(f".st-key-{last} [data-drawn]")).to_be_attached()
        explore.at_rest()
        assert explore.page.evaluate("window.moved") < 0.2


class LessonsPage(Visitor):
    """The list of lessons, and the strip of a lesson above other pages."""

    path = "/lessons"

    def strip(self) -> Locator:
        return self.part("lesson").locator("section")

    def press(self, name: str) -> None:
        self.strip().get_by_role("button", name=name).click()


def test_a_lesson_can_be_left_and_continued(visit, base):
    learner = visit(base, LessonsPage)
    learner.go()
    learner.page.get_by_role("link", name="One query, many keys").click()
    expect(learner.strip()).to_contain_text("2 · One query, many keys")
    learner.address_says(lesson="one-query.1", layer="3", head="1")
    learner.press("Show it")
    explore = learner.on(ExplorePage).drawn()
    learner.press("sister")
    expect(learner.strip().locator(".verdict")).to_contain_text("✓ Weight: 0.49 for “sister”.")

    # The next step uses the same view, so it keeps the changes to that view.
    explore.click_head("left", 2, 7)
    learner.address_says(layer="2", head="7")
    learner.press("Next")
    expect(learner.strip()).to_contain_text("Step 2 of 3")
    learner.address_says(lesson="one-query.2", layer="2", head="7")

    about = learner.page.get_by_role("heading", name="What attention is")
    learner.menu("About")
    expect(about).to_be_visible()
    learner.press("Back to the lesson")  # which opens the step's own view
    learner.address_says(lesson="one-query.2", layer="3", head="1")
    explore.drawn()
    learner.page.go_back()
    expect(about).to_be_visible()
    learner.at_rest()
    learner.page.go_back()
    explore.drawn()
    learner.address_says(lesson="one-query.2", layer="2", head="7")
    learner.press("Leave the lesson")
    expect(learner.strip()).to_have_count(0)
    learner.address_says(lesson=None)
    learner.menu("Lessons")
    expect(learner.page.get_by_role("link", name="One query, many keys")).to_contain_text("1 of 3")
    learner.page.get_by_role("button", name="Go on: 2 · One query, many keys").click()
    expect(learner.strip()).to_contain_text("Step 2 of 3")
    learner.at_rest()
