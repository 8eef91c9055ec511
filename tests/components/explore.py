"""Parts of the Explore page, and their true numbers, computed in the tests."""

import base64
import io
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, expect

from model import AttentionCapture, LoadedModel, load_model
from tests.components.conftest import Board

DEFAULT = "The animal didn't cross the street because it was too tired."
ANIMAL, IT = 2, 10  # positions of its tokens
SIDES = {"left": "scratch", "right": "minilm"}
LONG = ("the dog saw the cat and " * 10).strip() + "."  # 63 tokens

# Margins of the grid of heads: see overview/grid.js.
MARGIN = {"left": 30, "top": 18}

FIXED_TIME = "Date.now = () => 1000"

# Records the text that is written on a canvas.
RECORD_TEXT = """() => {
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
    (this.canvas.written ??= []).push(String(text));
    return fillText.call(this, text, ...where);
  };
}"""

# A chart's numbers after Plotly has decoded them.
NUMBERS = "(chart) => Array.from(chart._fullData[0].z, (row) => Array.from(row))"


def pixels(canvas: Locator) -> np.ndarray:
    """The pixels of a canvas, (height, width, 4): red, green, blue and opacity."""
    url = canvas.evaluate("canvas => canvas.toDataURL()")
    return np.array(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))))


def columns(*names: str) -> str:
    """Boxes of the components `..._left` and `..._right`, in two columns."""
    # A figure's container has the component in it.
    box = '<div class="st-key-{0}"><div class="stElementContainer st-key-{0}_chart"></div></div>'
    boxes = ["".join(box.format(f"{name}_{side}") for name in names) for side in SIDES]
    cells = "".join(f'<div style="flex: 1; min-width: 0">{each}</div>' for each in boxes)
    return f'<div style="display: flex; gap: 16px">{cells}</div>'


@cache
def model(name: str) -> LoadedModel:
    return load_model(name)


@cache
def truth(name: str, text: str = DEFAULT, pair: str | None = None) -> AttentionCapture:
    """The expected capture, computed in the test."""
    return model(name).attend(text, pair)


def two(weight: float) -> str:
    """A weight as the lens prints it: rounded to four decimals, then to two."""
    return str(Decimal(round(float(weight), 4)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def strongest(weights: np.ndarray) -> tuple[int, int, str]:
    """Query, key and weight (two decimals) of a head's strongest link, (T, T)."""
    shown = weights.astype(np.float64).round(4)  # the page names the first of equal printed weights
    query, key = np.unravel_index(shown.argmax(), shown.shape)
    return int(query), int(key), two(weights[query, key])


def step(canvas: Locator, size: tuple[int, int] = (6, 12)) -> tuple[float, float]:
    """Pixels from one thumbnail of (layers, heads) to the next: across and down."""
    box = canvas.bounding_box()
    return (box["width"] - MARGIN["left"]) / size[1], (box["height"] - MARGIN["top"]) / size[0]


def spot(canvas: Locator, layer: int, head: int, size: tuple[int, int] = (6, 12)) -> dict:
    wide, high = step(canvas, size)
    x, y = MARGIN["left"] + (head + 0.45) * wide, MARGIN["top"] + (layer + 0.45) * high
    return {"x": x, "y": y}


class Heads:
    """Both overviews, with the view of the page; the time stands still."""

    def __init__(self, board: Board, address: str = "", *more: str) -> None:
        self.board = board
        self.page = board.page
        self.page.evaluate(FIXED_TIME)
        board.lay_out(columns("overview", "heatmap"))
        board.draw(address, "sync", "overview_left", "overview_right", *more)

    def canvas(self, side: str) -> Locator:
        return self.board.part(f"overview_{side}").locator("canvas.grid")

    def lens(self, side: str) -> Locator:
        return self.board.part(f"overview_{side}").locator(".lens")

    def said(self, side: str) -> Locator:
        return self.board.part(f"overview_{side}").locator(".said")

    def step(self, side: str) -> tuple[float, float]:
        return step(self.canvas(side))

    def spot(self, side: str, layer: int, head: int) -> dict[str, float]:
        return spot(self.canvas(side), layer, head)

    def hover(self, side: str, layer: int, head: int) -> None:
        self.canvas(side).hover(position=self.spot(side, layer, head))

    def click(self, side: str, layer: int, head: int, **how: object) -> None:
        self.canvas(side).click(position=self.spot(side, layer, head), **how)

    def select(self, layer: int, head: int, *sides: str) -> None:
        """Wait until overviews outline a head."""
        for side in sides or SIDES:
            expect(self.canvas(side)).to_have_attribute("data-selected", f"L{layer}·H{head}")
