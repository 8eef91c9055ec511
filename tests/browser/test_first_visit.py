"""The first visit, and deep links to a server that has just started."""

import re
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import APP
from tests.browser.explore_page import DEFAULT, SIDES, ExplorePage, truth
from web.server.static_files import CARTESIAN_PLOTLY, PLOTLY

pytestmark = pytest.mark.browser

# Opacity of the first cell in the second row, of 16 x 16.
MIDDLE_OF_CELL = """canvas => canvas.getContext("2d").getImageData(
    canvas.width / 32, canvas.height * 3 / 32, 1, 1).data[3]"""


@pytest.fixture
def newcomer(visit, base) -> ExplorePage:
    """A visitor whose browser has an empty cache."""
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
        assert colours > 20  # the canvas is not empty
    newcomer.address_says(text=DEFAULT, left="scratch", right="minilm", layer="3", head="1")
    # `visit` in conftest.py checks that there were no errors and no requests to other hosts.


def test_a_first_visit_transfers_less_than_the_limit(newcomer):
    """Compressed bytes: from localhost a browser accepts every encoding, as with https."""
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
            assert headers["content-encoding"] in ("zstd", "br", "gzip"), answer["url"]
            assert "script-src 'self'" in headers["content-security-policy"]
    urls = [answer["url"] for answer in answers.values()]
    assert sum("/api/plotly-" in url for url in urls) == 1
    assert not any("PlotlyChart" in url for url in urls)  # the chart of Streamlit
    kept = [a["url"] for a in answers.values() if "immutable" in str(a["headers"])]
    assert len(kept) > 50


def test_the_preview_of_a_heatmap_is_where_plotly_draws_it_later(newcomer):
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


def test_a_script_that_fails_to_load_is_requested_again(visit, base):
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


def test_a_page_whose_widgets_could_not_be_loaded_is_reloaded(visit, base):
    """Streamlit shows an error in place of such a widget and does not load its script again."""
    visitor = visit(base, new=True)
    visitor.open()
    visitor.page.route("**/static/js/NumberInput.*.js", lambda route: route.abort(), times=1)
    visitor.page.get_by_role("link", name="Calculator").click()
    expect(visitor.page.get_by_test_id("stNumberInput").first).to_be_visible()
    assert visitor.complaints
    assert all(re.search("NumberInput|ERR_FAILED", each) for each in visitor.complaints)
    visitor.complaints.clear()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080)])
def test_a_first_visit_shows_everything_without_scrolling(visit, base, width, height):
    explore = visit(base, viewport={"width": width, "height": height}).open()
    for side in SIDES:
        box = explore.chart(side).bounding_box()
        assert box["y"] + box["height"] <= height
        column = explore.chart(side).bounding_box()["width"]
        assert explore.overview(side).bounding_box()["width"] > 0.9 * column
    tops = [explore.chart(side).bounding_box()["y"] for side in SIDES]
    assert tops[0] == tops[1]
    explore.click_head("right", 4, 9)
    explore.shows(4, 9)
    for side in SIDES:
        title = explore.title(side).bounding_box()
        assert 0 < title["y"] < title["y"] + title["height"] < height
    expect(explore.page.get_by_text("Each small square is one head")).to_be_visible()


def test_a_short_sentence_fills_the_width(visit, base):
    explore = visit(base, viewport={"width": 1440, "height": 900}).open(text="A cat.")
    left, right = (explore.overview(side).bounding_box() for side in SIDES)
    assert left["x"] <= 60 and right["x"] + right["width"] >= 1380
    assert right["x"] - left["x"] - left["width"] <= 40
    for side in SIDES:
        cells = explore.chart(side).locator(".nsewdrag").first.bounding_box()
        assert cells["width"] >= 0.7 * left["width"]


def test_the_url_of_the_first_view_adds_no_history_entry(explore):
    explore.open(text="hello there", left="scratch", right="minilm", layer="2", head="5")
    assert explore.page.evaluate("history.length") == 2  # the blank page and this one


def test_typed_text_is_not_in_the_log(shared):
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
def test_the_page_has_name_and_background_before_any_script_runs(visit, base, scheme):
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
"""Layout shift as the browser measures it; above 0.1, a page counts as unstable."""


@pytest.mark.parametrize("width", [1440, 390])
def test_the_layout_is_stable_while_the_page_loads(visit, base, width):
    visitor = visit(base, new=True, viewport={"width": width, "height": 900})
    visitor.page.add_init_script(MOVED)
    visitor.open()
    assert visitor.page.evaluate("window.moved") < 0.1


@pytest.mark.parametrize(("path", "last"), [("decoder", "decoding"), ("calculator", "steps")])
def test_the_layout_is_stable_on_phones_for_pages_with_many_inputs(visit, base, path, last):
    visitor = visit(base, new=True, viewport={"width": 390, "height": 844})
    visitor.page.add_init_script(MOVED)
    visitor.page.goto(f"{base}/{path}")
    expect(visitor.page.locator(f".st-key-{last} [data-drawn]")).to_be_attached()
    visitor.at_rest()
    assert visitor.page.evaluate("window.moved") < 0.2


def test_an_open_menu_does_not_cover_the_next_load_on_a_phone(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}).open()
    explore.page.get_by_test_id("stExpandSidebarButton").click()
    about = explore.page.get_by_test_id("stSidebar").get_by_role("link", name="About")
    expect(about).to_be_in_viewport()
    explore.page.reload()
    explore.drawn()
    expect(about).not_to_be_in_viewport()


def test_the_lines_above_a_heatmap_do_not_overlap_on_a_phone(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844})
    explore.open(text="My sister fed the dog because she was kind.")
    chart = explore.part("heatmap_right")
    expect(chart.locator(".gtitle-subtitle")).to_contain_text("My sister")
    lines = [chart.locator(f"text.{name}").bounding_box() for name in ("gtitle-subtitle", "xtitle")]
    sentence, axis = lines
    assert sentence["y"] + sentence["height"] <= axis["y"] + 2  # a box is higher than its letters
