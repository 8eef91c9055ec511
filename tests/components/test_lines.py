import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.components.explore import ANIMAL, IT, RECORD_TEXT, pixels, truth
from viz import distinct
from viz.style.theme import HEAD_COLOURS

pytestmark = pytest.mark.browser

LINES = "?view=lines&overlaid=1-8"


@pytest.fixture
def lines(board) -> Locator:
    board.page.evaluate(RECORD_TEXT)
    board.draw(LINES, "sync", "lines_right")
    return board.part("lines_right").locator("canvas")


def place(canvas: Locator, token: int, x: float = 20, count: int = 16) -> dict[str, float]:
    row = (canvas.bounding_box()["height"] - 8) / count
    return {"x": x, "y": 4 + (token + 0.5) * row}


def inked(canvas: Locator) -> int:
    """The number of painted pixels between the two columns of tokens."""
    image = pixels(canvas)
    width = image.shape[1]
    return int((image[:, int(0.35 * width) : int(0.65 * width), 3] > 0).sum())


def test_each_head_has_its_colour_in_the_legend_and_on_its_lines(board, lines):
    legend = board.part("lines_right").locator(".legend span")
    expect(legend).to_have_text(["L3·H1", "L1·H8"])
    colours = [each.evaluate("e => e.style.getPropertyValue('--colour')") for each in legend.all()]
    assert colours == list(HEAD_COLOURS[:2])
    weights = truth("minilm").weights[3, 1].diagonal()
    token = int(weights.argmax())
    assert weights[token] > 0.3  # a level line in the middle of the picture
    image, y = pixels(lines), round(place(lines, token)["y"])
    near = image[y - 3 : y + 4, image.shape[1] // 2].astype(int)
    assert np.abs(near[:, :3] - (230, 85, 13)).sum(axis=1).min() < 12


def test_hovering_over_a_token_shows_its_lines_alone_and_their_weights(board, lines):
    before = inked(lines)
    weights = truth("minilm").weights
    names = distinct(truth("minilm").tokens)
    width = lines.bounding_box()["width"]
    for x, chosen in ((20, lambda head: head[IT]), (width - 20, lambda head: head[:, IT])):
        lines.evaluate("canvas => { canvas.written = []; }")
        lines.hover(position=place(lines, IT, x))
        assert 0 < inked(lines) < before / 4  # the lines of one token out of sixteen
        pairs = zip(chosen(weights[3, 1]), chosen(weights[1, 8]), strict=True)
        numbers = [f"{one:.4f} {other:.4f}" for one, other in pairs]
        left, right = names, names
        if x == 20:
            right = [f"{name}  {number}" for name, number in zip(names, numbers, strict=True)]
        else:
            left = [f"{number}  {name}" for name, number in zip(names, numbers, strict=True)]
        assert lines.evaluate("canvas => canvas.written.slice(-32)") == [*left, *right]
    board.page.mouse.move(5, 890)
    assert inked(lines) == before


def test_a_click_on_a_token_picks_it_and_leaves_its_lines(board, lines):
    lines.click(position=place(lines, ANIMAL))
    board.expect_event("picked", [ANIMAL])
    board.page.mouse.move(5, 890)
    before = inked(lines)
    board.draw(LINES, "sync", picked={"left": [], "right": [ANIMAL]})
    assert 0 < inked(lines) < before / 4
    lines.click(position=place(lines, IT))
    board.expect_event("picked", [ANIMAL, IT])
    lines.click(position=place(lines, ANIMAL, lines.bounding_box()["width"] - 20))
    board.expect_event("picked", [])


def test_other_keys_than_the_queries_are_not_picked(board):
    board.draw("decoder?part=translate&view=lines", "sync", "stack_lines")
    canvas = board.part("stack_lines").locator("canvas")
    canvas.click(position=place(canvas, 3, canvas.bounding_box()["width"] - 20, 8))
    canvas.click(position=place(canvas, 1, 20, 8))
    board.expect_event("picked", [1])
    assert board.events("picked") == [[1]]
