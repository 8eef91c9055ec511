"""What meets a visitor: the first page, deep links into a server that has just started."""

from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import APP
from tests.browser.explore_page import DEFAULT, SIDES, ExplorePage, truth
from web.server.static_files import CARTESIAN_PLOTLY, PLOTLY

pytestmark = pytest.mark.browser

# How opaque the second row's first cell is, of 16 by 16.
MIDDLE_OF_CELL = """canvas => canvas.getContext("2d").getImageData(
    canvas.width / 32, canvas.height * 3 / 32, 1, 1).data[3]"""


@pytest.fixture
def newcomer(visit, base) -> ExplorePage:
    """A visitor whose browser has never loaded anything."""
    return visit(base, new=True)


def has_full_navigation(page: Page) -> None:
    for name in ("Explore", "About"):
        expect(page.get_by_role("link", name=name)).to_be_visible()


def test_a_first_visit_paints_both_overviews_and_both_heatmaps(newcomer):
    newcomer.open()
    for side, model in zip(SIDES, ("scratch", "minilm"), strict=True):
        assert newcomer.overview(side).get_attribute("data-selected") == "L3·H1"
        expect(newcomer.title(side)).to_have_text(f"{model} · L3·H1")
        colours = newcomer.overview(side).evaluate(
            "c => new Set(new Uint32Array(c.getContext('2d')"
            ".getImageData(0, 0, c.width, c.height).data.buffer)).size"
        )
        assert colours > 20  # a picture, not an empty canvas
    newcomer.address_says(text=DEFAULT, left="scratch", right="minilm", layer="3", head="1")
    # That nothing complained and nobody else was asked: see `visit` in conftest.py.


def test_a_first_visit_is_no_burden_to_a_shared_line(newcomer):
    """In bytes as they travel; from localhost a browser takes Brotli, as it does over https."""
    cdp = newcomer.page.context.new_cdp_session(newcomer.page)
    answers, sizes = {}, {}
    cdp.on("Network.responseReceived", lambda e: answers.update({e["requestId"]: e["response"]}))
    cdp.on(
        "Network.loadingFinished",
        lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]}),
    )
    cdp.send("Network.enable")
    newcomer.open()
    most = 1.7e6 if PLOTLY == CARTESIAN_PLOTLY else 2.4e6  # 8.0 MB as Streamlit sends it
    assert 0.5e6 < sum(sizes.values()) < most
    assert sum(newcomer.received) < 0.3e6
    for number, answer in answers.items():
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        large = sizes.get(number, 0) > 2000 and not answer["url"].startswith("data:")
        if large and answer["mimeType"].endswith(("javascript", "css", "html", "json")):
            assert headers["content-encoding"] == "br", answer["url"]
            assert "script-src 'self'" in headers["content-security-policy"]
    urls = [answer["url"] for answer in answers.values()]
    assert sum("/api/plotly-" in url for url in urls) == 1
    assert not any("PlotlyChart" in url for url in urls)  # Streamlit's own
    kept = [a["url"] for a in answers.values() if "immutable" in str(a["headers"])]
    assert len(kept) > 50


def test_a_heatmaps_colours_stand_where_plotly_will_draw_them(newcomer):
    plotly: list[Route] = []
    newcomer.page.route("**/api/plotly-*", lambda route: plotly.append(route))
    newcomer.go()
    places, pixels = {}, {}
    for side in SIDES:
        colours = newcomer.part(f"heatmap_{side}").locator("canvas.preview")
        expect(colours).to_be_visible()
        places[side] = colours.bounding_box()
        pixels[side] = colours.evaluate(MIDDLE_OF_CELL)
    plotly.pop().continue_()
    newcomer.drawn()
    for side, model in zip(SIDES, ("scratch", "minilm"), strict=True):
        place = newcomer.chart(side).locator(".heatmaplayer image").bounding_box()
        assert place == pytest.approx(places[side], abs=1)
        assert pixels[side] == pytest.approx(255 * truth(model).weights[3, 1][1, 0], abs=2)


def test_a_script_that_does_not_arrive_is_asked_for_again(visit, base):
    lost = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        route.abort()

    explore = visit(base, new=True)
    explore.page.route("**/api/components/overview-*.js", lose, times=1)
    explore.open()
    assert len(lost) == 1
    assert all("overview-" in each for each in explore.complaints)
    explore.complaints.clear()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080)])
def test_a_first_visit_shows_everything_without_scrolling(visit, base, width, height):
    explore = visit(base, viewport={"width": width, "height": height}).open()
    for side in SIDES:
        box = explore.chart(side).bounding_box()
        assert box["y"] + box["height"] <= height
    tops = [explore.chart(side).bounding_box()["y"] for side in SIDES]
    assert tops[0] == tops[1]
    expect(explore.page.get_by_text("Each square is one head")).to_be_visible()
    explore.click_head("right", 4, 9)
    explore.shows(4, 9)
    for side in SIDES:
        title = explore.title(side).bounding_box()
        assert 0 < title["y"] < title["y"] + title["height"] < height
    expect(explore.page.get_by_text("Each square is one head")).to_have_count(0)


def test_the_address_of_a_view_that_is_opened_adds_no_step_to_the_history(explore):
    explore.open(text="hello there", left="scratch", right="minilm", layer="2", head="5")
    assert explore.page.evaluate("history.length") == 2  # the blank page and this one


def test_what_a_visitor_types_is_not_written_into_the_log(shared):
    server, address = shared
    with urlopen(f"{address}/?text=a+private+sentence", timeout=60) as page:
        assert page.status == 200
    assert "private" not in server.output()


def test_a_deep_link_as_the_first_request_to_a_fresh_server_shows_its_view(start, visit):
    explore = visit(start(APP)).open(
        text="hello there", left="scratch-minilm", right="minilm", layer="4", head="6"
    )
    has_full_navigation(explore.page)
    explore.shows(4, 6)
    assert explore.pieces().all_text_contents() == ["[CLS]", "hello", "there", "[SEP]"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_before_any_script_there_is_our_name_on_the_pages_own_ground(visit, base, scheme):
    visitor = visit(base, color_scheme=scheme, java_script_enabled=False)
    visitor.go()
    expect(visitor.page).to_have_title("Headlight")
    expect(visitor.page.locator("#root svg")).to_be_in_viewport()
    colour = {"light": "rgb(255, 255, 255)", "dark": "rgb(11, 13, 24)"}[scheme]
    expect(visitor.page.locator("html")).to_have_css("background-color", colour)


MOVED = (
    "window.moved = 0; new PerformanceObserver((seen) => {"
    "for (const { value } of seen.getEntries()) window.moved += value;"
    '}).observe({ type: "layout-shift", buffered: true });'
)
"""The browser's own measure, which takes a page above 0.1 for one that jumps."""


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_moves_when_what_comes_later_comes(visit, base, width):
    visitor = visit(base, new=True, viewport={"width": width, "height": 900})
    visitor.page.add_init_script(MOVED)
    visitor.open()
    assert visitor.page.evaluate("window.moved") < 0.1  # was 0.4


@pytest.mark.parametrize(("path", "last"), [("decoder", "decoding"), ("calculator", "steps")])
def test_on_a_telephone_neither_does_it_on_pages_with_many_boxes(visit, base, path, last):
    visitor = visit(base, new=True, viewport={"width": 390, "height": 844})
    visitor.page.add_init_script(MOVED)
    visitor.page.goto(f"{base}/{path}")
    expect(visitor.page.locator(f".st-key-{last} [data-drawn]")).to_be_attached()
    visitor.at_rest()
    assert visitor.page.evaluate("window.moved") < 0.2  # was 0.8 and 0.5
