import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board
from tests.components.explore import NUMBERS, SIDES, truth
from viz import distinct

pytestmark = pytest.mark.browser

CHARTS = ("stream_left_chart", "stream_right_chart")  # 6 layers, 16 tokens

# Shortens the wait for the server's figure.
HURRY = """() => {
  const { setTimeout } = window;
  window.setTimeout = (go, time, ...more) => setTimeout(go, time >= 3000 ? 50 : time, ...more);
}"""


@pytest.fixture
def heatmaps(board) -> Board:
    # A figure's container has the component in it.
    box = '<div class="st-key-{0}"><div class="stElementContainer st-key-{0}_chart"></div></div>'
    board.lay_out("".join(box.format(f"stream_{side}") for side in SIDES))
    board.draw("layers?part=stream", *CHARTS)
    expect(board.page.locator(".js-plotly-plot")).to_have_count(2)
    return board


def figure(board: Board, key: str) -> Locator:
    return board.part(f"{key}_chart").locator(".js-plotly-plot")


def title(board: Board, key: str) -> Locator:
    return board.part(f"{key}_chart").locator(".gtitle")


def numbers(board: Board, key: str) -> np.ndarray:
    return np.array(figure(board, key).evaluate(NUMBERS))


def tool(board: Board, key: str, label: str) -> Locator:
    """A button of a figure's toolbar, which appears when the pointer is over the figure."""
    figure(board, key).hover()
    return board.part(f"{key}_chart").get_by_role("button", name=label)


def point_at(
    board: Board, key: str, row: int, column: int, shape: tuple[int, int]
) -> tuple[float, float]:
    """Move the pointer over a cell of a heatmap of this shape; returns its place."""
    area = board.part(f"{key}_chart").locator(".nsewdrag")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    x = box["x"] + (column + 0.5) / shape[1] * box["width"]
    y = box["y"] + (row + 0.5) / shape[0] * box["height"]
    board.page.mouse.move(x - 1, y - 1)
    board.page.mouse.move(x, y)
    return x, y


def test_a_heatmap_names_each_token(heatmaps):
    for side, name in SIDES.items():
        expect(title(heatmaps, f"stream_{side}")).to_contain_text(f"{name} · Added by attention")
        ticks = heatmaps.part(f"stream_{side}").locator(".xtick text")
        assert sorted(ticks.all_text_contents()) == sorted(distinct(truth(name).tokens))


def test_curves_are_saved_as_vectors(board):
    board.draw("positions", "curves_chart")
    svg = tool(board, "curves", "Download the figure as SVG")
    file, data = board.download(svg.click)
    assert file.endswith(".svg") and b"<metadata>" in data and b"<image" not in data


def test_a_download_of_plotly_that_fails_is_repeated(board):
    board.page.evaluate(HURRY)
    wrong = [503]  # with `times=1`, Playwright may answer the next request twice
    board.page.route(
        "**/api/plotly-*", lambda r: r.fulfill(status=wrong.pop()) if wrong else r.fallback()
    )
    board.draw("layers?part=stream", "stream_left_chart")
    expect(figure(board, "stream_left")).to_be_visible()
    assert len(board.faults) == 1 and "503" in board.faults.pop()


def test_a_toolbar_is_one_tab_stop_and_works_with_the_keyboard(heatmaps):
    chart = heatmaps.part("stream_left_chart")
    expect(chart.locator('.modebar-btn[tabindex="0"]')).to_have_count(1)
    buttons = chart.locator(".modebar-btn").all()
    buttons[0].focus()
    for key, button in (("End", buttons[-1]), ("ArrowLeft", buttons[-2]), ("Home", buttons[0])):
        heatmaps.page.keyboard.press(key)
        expect(button).to_be_focused()
    chart.get_by_role("button", name="Download the numbers as CSV").focus()
    file, _ = heatmaps.download(lambda: heatmaps.page.keyboard.press("Enter"))
    assert file.endswith(".csv")


def test_the_export_menu_downloads_a_figures_files_and_stays_open(heatmaps):
    heatmaps.page.evaluate(
        "() => document.addEventListener('click', () => host.events.push(['', 'clicked', 1]))"
    )
    titles = {"csv": "The numbers", "html": "The page"}
    data = {"titles": titles, "about": {"text": "of the menu"}}
    heatmaps.draw("layers?part=stream", "origin_stream_right", **data)
    for kind, name in (("csv", "CSV"), ("html", "HTML")):
        button = heatmaps.part("origin_stream_right").get_by_role("button", name=name)
        file, _ = heatmaps.download(button.click)
        assert file.startswith("headlight_stream_attention-share_minilm") and file.endswith(kind)
    # A click in the page, beside the buttons' own, would close the menu.
    assert len(heatmaps.events("clicked")) == 2
