import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board
from tests.components.explore import ANIMAL, IT, NUMBERS, SIDES, Heads, columns, truth
from viz import distinct

pytestmark = pytest.mark.browser

CHARTS = ("heatmap_left_chart", "heatmap_right_chart")

# Shortens the wait for the server's figure.
HURRY = """() => {
  const { setTimeout } = window;
  window.setTimeout = (go, time, ...more) => setTimeout(go, time >= 3000 ? 50 : time, ...more);
}"""


@pytest.fixture
def heatmaps(board) -> Board:
    board.lay_out(columns("heatmap")).draw("", "sync", *CHARTS)
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


def test_a_heatmap_names_each_token_and_hovering_shows_a_weight_with_six_decimals(heatmaps):
    for side, name in SIDES.items():
        key = f"heatmap_{side}"
        expect(title(heatmaps, key)).to_have_text(f"{name} · L3·H1")
        for axis in "xy":  # hovering shows the order
            ticks = heatmaps.part(key).locator(f".{axis}tick text")
            assert sorted(ticks.all_text_contents()) == sorted(distinct(truth(name).tokens))
        np.testing.assert_array_equal(np.float32(numbers(heatmaps, key)), truth(name).weights[3, 1])
        alt = heatmaps.part(f"{key}_chart").get_by_role("figure").get_attribute("aria-label")
        assert alt.startswith(f"Attention weights of {name}, head L3·H1, 16 tokens.")
        point_at(heatmaps, key, IT, ANIMAL, (16, 16))
        weight = format(float(truth(name).weights[3, 1, IT, ANIMAL]), ".6f")
        expect(heatmaps.part(key).locator(".hovertext")).to_have_text(f"it → animal{weight}")


def test_negative_numbers_have_a_minus_sign_and_curves_are_saved_as_vectors(board):
    board.draw("layers?part=difference", "difference_chart")
    z = numbers(board, "difference")
    row, column = np.unravel_index(z.argmin(), z.shape)
    point_at(board, "difference", row, column, z.shape)
    expect(board.page.locator(".hovertext")).to_contain_text(f"−{-z.min():.6f}")
    board.draw("layers?part=profile", "profile_chart")
    svg = tool(board, "profile", "Download the figure as SVG")
    file, data = board.download(svg.click)
    assert file.endswith(".svg") and b"<metadata>" in data and b"<image" not in data


def test_a_download_of_plotly_that_fails_is_repeated(board):
    board.page.evaluate(HURRY)
    wrong = [503]  # with `times=1`, Playwright may answer the next request twice
    board.page.route(
        "**/api/plotly-*", lambda r: r.fulfill(status=wrong.pop()) if wrong else r.fallback()
    )
    board.draw("", "heatmap_left_chart")
    expect(figure(board, "heatmap_left")).to_be_visible()
    assert len(board.faults) == 1 and "503" in board.faults.pop()


def test_a_click_on_a_cell_picks_the_token_of_its_row(heatmaps):
    # Plotly reads the pointer every 50 ms, and drops its state while the button is down.
    for token, held in ((IT, 0), (ANIMAL, 40), (7, 60), (12, 80)):
        place = point_at(heatmaps, "heatmap_right", token, 3, (16, 16))
        heatmaps.page.mouse.click(*place, delay=held)
        heatmaps.expect_event("picked", {"side": "right", "units": [token]})
    heatmaps.draw("", "sync", picked={"left": [], "right": [ANIMAL, IT]})
    for side, token, units in (("right", IT, [ANIMAL]), ("left", 4, [4])):
        heatmaps.page.mouse.click(*point_at(heatmaps, f"heatmap_{side}", token, 3, (16, 16)))
        heatmaps.expect_event("picked", {"side": side, "units": units})
    assert len(heatmaps.events("picked")) == 6
    assert heatmaps.events("clicked") == []


def test_a_drag_over_cells_zooms_and_picks_nothing(heatmaps):
    (left, top), (right, bottom) = (
        point_at(heatmaps, "heatmap_right", each, each, (16, 16)) for each in (2, 10)
    )
    heatmaps.page.mouse.move(left - 6, top - 6)
    heatmaps.page.mouse.down()
    heatmaps.page.mouse.move(right + 6, bottom + 6, steps=4)
    heatmaps.page.mouse.up()
    rows = heatmaps.part("heatmap_right").locator(".ytick text")
    expect(rows).to_have_count(9)
    assert sorted(rows.all_text_contents()) == sorted(distinct(truth("minilm").tokens)[2:11])
    assert heatmaps.events("picked") == []


def test_a_toolbar_is_one_tab_stop_and_works_with_the_keyboard(heatmaps):
    chart = heatmaps.part("heatmap_left_chart")
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
    heatmaps.draw("", "origin_head_right", titles=titles, about={"text": "of the menu"})
    for kind, name in (("csv", "CSV"), ("html", "HTML")):
        button = heatmaps.part("origin_head_right").get_by_role("button", name=name)
        file, _ = heatmaps.download(button.click)
        assert file.startswith("headlight_minilm_L3-H1_the-animal") and file.endswith(kind)
    # A click in the page, beside the buttons' own, would close the menu.
    assert len(heatmaps.events("clicked")) == 2


def test_a_figure_fills_the_screen_and_returns(heatmaps):
    chart = figure(heatmaps, "heatmap_left")
    before = chart.bounding_box()
    tool(heatmaps, "heatmap_left", "Fullscreen").click()
    expect(chart).to_have_js_property("offsetHeight", 900)
    tool(heatmaps, "heatmap_left", "Fullscreen").click()
    expect(chart).to_have_js_property("offsetHeight", round(before["height"]))


@pytest.fixture
def heads(board) -> Heads:
    board.page.evaluate(HURRY.replace("50 : time", "1e6 : time"))  # no wait ends
    made = Heads(board, "", *CHARTS)
    for side in SIDES:
        expect(figure(board, f"heatmap_{side}")).to_be_visible()
    return made


def expect_rounded(board: Board, layer: int, head: int) -> None:
    """The figures show a head of the overviews, which have four decimals."""
    for side, name in SIDES.items():
        key = f"heatmap_{side}"
        expect(title(board, key)).to_have_text(f"{name} · L{layer}·H{head}")
        chart = board.part(f"{key}_chart").get_by_role("figure")
        expect(chart).to_have_attribute("aria-busy", "true")
        weights = truth(name).weights[layer, head].astype(np.float64).round(4)
        np.testing.assert_array_equal(numbers(board, key), weights)


def test_a_selected_head_is_drawn_without_the_server_and_a_stale_figure_is_ignored(heads):
    board = heads.board
    for layer, head in ((1, 8), (5, 11)):
        heads.click("right", layer, head)
        expect_rounded(board, layer, head)
    board.draw("", "sync", *CHARTS)
    expect_rounded(board, 5, 11)
    for part in (("sync",), CHARTS):  # in the order of a fragment's run
        board.draw("?layer=5&head=11", *part)
    for side, name in SIDES.items():
        chart = board.part(f"heatmap_{side}_chart").get_by_role("figure")
        expect(chart).to_have_attribute("aria-busy", "false")
        shown = np.float32(numbers(board, f"heatmap_{side}"))
        np.testing.assert_array_equal(shown, truth(name).weights[5, 11])
    heads.click("left", 1, 8)
    board.draw("?text=A+cat.", *CHARTS)  # another sentence needs no answer
    expect(title(board, "heatmap_right")).to_have_text("minilm · L3·H1")
    assert numbers(board, "heatmap_right").shape == (5, 5)


def test_a_file_waits_for_the_servers_exact_numbers(heads):
    board = heads.board
    heads.click("left", 5, 11)
    csv = tool(board, "heatmap_right", "Download the numbers as CSV")
    with board.page.expect_download() as expected:
        csv.click()
        board.draw("?layer=5&head=11", *CHARTS)
    assert expected.value.suggested_filename.startswith("headlight_minilm_L5-H11_the-animal")
    table = pd.read_csv(expected.value.path(), index_col=0)
    np.testing.assert_array_equal(table.to_numpy(np.float32), truth("minilm").weights[5, 11])


def test_the_servers_figure_returns_if_it_does_not_answer(board):
    board.page.evaluate(HURRY)
    heads = Heads(board, "", *CHARTS)
    expect(figure(board, "heatmap_left")).to_be_visible()
    heads.click("left", 5, 11)
    expect(title(board, "heatmap_left")).to_have_text("scratch · L5·H11")
    board.draw("", *CHARTS)  # the answer to another action
    expect(title(board, "heatmap_left")).to_have_text("scratch · L3·H1")
