"""Parts of the Explore page, and their true numbers, computed in the tests."""

import base64
import io
import json
import re
from functools import cache

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, expect

from model import AttentionCapture, LoadedModel, load_model
from tests.components.conftest import Board, components_of
from viz import distinct

DEFAULT = "The animal didn't cross the street because it was too tired."
ANIMAL, IT = 2, 10  # positions of its tokens
SIDES = {"left": "scratch", "right": "minilm"}
HINT = " Select a word above."  # without a selected token
LONG = ("the dog saw the cat and " * 10).strip() + "."  # 63 tokens

# Margins of the grid of heads: see capture_view/fold.js.
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


@cache
def model(name: str) -> LoadedModel:
    return load_model(name)


@cache
def truth(name: str, text: str = DEFAULT, pair: str | None = None) -> AttentionCapture:
    """The expected capture, computed in the test."""
    return model(name).attend(text, pair)


def said(name: str, layer: int, head: int, query: int | None = None, text: str = DEFAULT) -> str:
    """The sentence about a head, and about a token if one is selected."""
    capture = truth(name, text)
    weights = capture.weights[layer, head]
    special = [token in ("[CLS]", "[SEP]") for token in capture.tokens]
    allowed = ~np.array(special)
    words = allowed & [re.search(r"\w", token) is not None for token in capture.tokens]
    rows, keys = (words, words) if query is None else (np.arange(len(special)) == query, allowed)
    linked = np.where(rows[:, None] & keys, weights, -1)
    at, key = np.unravel_index(linked.argmax(), linked.shape)
    names = distinct(capture.tokens)
    rest = int(np.where(allowed, -1, weights[at]).argmax())
    links = [(weights[at, rest], names[rest]), (weights[at, key], f"“{names[key]}”")]
    (most, first), *others = links if weights[at, rest] > weights[at, key] else links[1:]
    more = "".join(f", and {weight:.2f} to {other}" for weight, other in others)
    return (
        f"In {name}, head L{layer}·H{head}, “{names[at]}” gives {most:.2f} of its "
        f"attention to {first}{more}."
    )


def step(canvas: Locator, size: tuple[int, int] = (6, 12)) -> tuple[float, float]:
    """Pixels from one thumbnail of (layers, heads) to the next: across and down."""
    box = canvas.bounding_box()
    return (box["width"] - MARGIN["left"]) / size[1], (box["height"] - MARGIN["top"]) / size[0]


def spot(canvas: Locator, layer: int, head: int, size: tuple[int, int] = (6, 12)) -> dict:
    wide, high = step(canvas, size)
    x, y = MARGIN["left"] + (head + 0.45) * wide, MARGIN["top"] + (layer + 0.45) * high
    return {"x": x, "y": y}


class View:
    """The capture view of an address of Explore."""

    def __init__(self, board: Board, address: str = "") -> None:
        self.board = board
        self.page = board.page
        self.address = address
        board.draw(address, "view_capture", "state_capture")
        self.selection = json.loads(components_of(address)["state_capture"]["json"])[0]["selection"]

    @property
    def said(self) -> Locator:
        return self.page.locator(".said")

    def part(self, side: str, selector: str) -> Locator:
        return self.page.locator(f'.column[data-side="{side}"] {selector}')

    def canvas(self, side: str) -> Locator:
        return self.part(side, "canvas.grid")

    def spot(self, side: str, layer: int, head: int) -> dict[str, float]:
        return spot(self.canvas(side), layer, head)

    def click(self, side: str, layer: int, head: int, **how: object) -> None:
        self.canvas(side).click(position=self.spot(side, layer, head), **how)

    def answer(self, acknowledged: int = 0, **changed: object) -> None:
        """Draw the selection of the server, by default after all edits."""
        more = {"acknowledged": acknowledged} if acknowledged else {}
        selection = {**self.selection, **changed}
        self.board.draw(self.address, "state_capture", selection=selection, **more)

    def expect_selected(self, left: str, right: str) -> None:
        """Wait until each side outlines a head and draws its map."""
        for side, head in (("left", left), ("right", right)):
            expect(self.canvas(side)).to_have_attribute("data-selected", head)
            expect(self.part(side, ".map")).to_have_attribute("data-head", head)

    def numbers(self, side: str) -> np.ndarray:
        """The numbers of a map; NaN where the mask hides."""
        return np.array(self.part(side, ".map").evaluate(NUMBERS), np.float64)

    def tokens(self, side: str = "left") -> Locator:
        return self.page.locator(f'.chips button[data-side="{side}"]')

    def pressed(self, side: str = "left") -> list[int]:
        """The places of the selected tokens."""
        read = "(buttons) => buttons.map((button) => button.ariaPressed)"
        return [i for i, on in enumerate(self.tokens(side).evaluate_all(read)) if on == "true"]

    def edits(self) -> list[dict[str, object]]:
        return [edit["fields"] for edit in self.board.events("edited")]

    def expect_edit(self, **fields: object) -> None:
        """Wait until the newest edit has these fields."""
        self.page.wait_for_function(
            "(fields) => Object.entries(fields).every(([field, value]) => JSON.stringify(value)"
            " === JSON.stringify(host.events.at(-1)?.[2].fields[field]))",
            arg=fields,
        )
