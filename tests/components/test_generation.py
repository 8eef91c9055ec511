import base64
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from model import load_model
from tests.components.conftest import ADDRESS, Board, components_of
from tests.components.players import Player
from tests.model import decoder_checkpoints
from tests.viz.test_canvas import unpack
from viz.canvas import WHOLE, rounded_to_odd
from viz.style.labels import percent

pytestmark = pytest.mark.browser

PROMPT = "the animal was it, and"
LAYER, HEAD = 1, 4
STRENGTHS = "(cells) => cells.map((cell) => Number(cell.style.getPropertyValue('--strength')))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """A decoder of random weights: 3 layers, 6 heads, 48 tokens."""
    return str(decoder_checkpoints.save("llama", tmp_path_factory.mktemp("decoder")))


class Writing(Player):
    """The step view of a generated text, drawn with the data of a URL."""

    def __init__(self, board: Board, folder: str) -> None:
        super().__init__(board, "generation")
        self.folder = folder
        self.answer()

    def answer(self, **address: str) -> None:
        address = {"text": PROMPT, "tokens": "6", "layer": str(LAYER), "head": str(HEAD), **address}
        query = urlencode({"part": "generate", "model": self.folder, **address})
        sent = components_of(f"decoder?{query}")["generation"]
        self.header = unpack(base64.b64decode(sent["bytes"]))[0]
        self.board.draw(f"decoder?{query}", self.key)

    def cells(self) -> Locator:
        return self.part().locator(".cell")

    def written(self) -> Locator:
        return self.part().locator(".cell.written")

    def marked(self, mark: str) -> list[int]:
        """The places of the tokens with a mark."""
        marked = f"(cells) => cells.map((cell) => cell.classList.contains('{mark}'))"
        return [place for place, on in enumerate(self.cells().evaluate_all(marked)) if on]


@pytest.fixture
def writing(board, folder) -> Writing:
    return Writing(board, folder)


def test_keys_step_through_the_tokens_without_a_request(writing, folder):
    found = load_model(folder).generate(PROMPT, max_new_tokens=6)
    expect(writing.cells()).to_have_count(len(found.tokens))
    assert writing.marked("now") == writing.marked("later") == []
    listed = [percent(step.probability) for step in found.steps]
    expect(writing.part().locator(".list .number")).to_have_text(listed)
    writing.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    writing.expect_step(3, "step 4 of 6")
    at = found.n_prompt + 3
    row = found.capture.weights[LAYER, HEAD, at - 1]
    printed = [f"{weight:.2f}" if weight >= 0.005 else "" for weight in row]
    assert writing.part().locator(".cell .weight").all_text_contents() == printed
    assert writing.marked("now") == [at] and writing.marked("on") == [at - 1]
    assert writing.marked("later") == [at + 1, at + 2]
    names = [token.strip() for token in writing.header["tokens"]]
    expect(writing.part().locator(".summary")).to_contain_text(
        f"L1·H4 gives {row.max():.2f} of its attention to “{names[row.argmax()]}”."
    )
    strengths = writing.cells().evaluate_all(STRENGTHS)
    expected = 72 * np.sqrt(rounded_to_odd(row) / WHOLE)
    np.testing.assert_allclose(strengths, expected, atol=0.051)
    writing.run_timers()
    assert writing.page.url == f"{ADDRESS}/?step=3"
    writing.written().nth(1).locator(".word").click()
    writing.expect_step(1, "step 2 of 6")
    assert writing.page.evaluate("host.events") == []


def test_an_alternative_is_requested_and_its_step_stays(writing):
    third = writing.written().nth(2)
    token = writing.header["steps"][2]["top"][1]["token"]
    third.locator(".word").click()
    writing.part().locator(".list .token").nth(1).click()
    assert writing.sent("forced") == [{"step": 2, "token": token}]
    writing.answer(forced=f"2~{token}")
    writing.expect_step(2, "step 3 of 6")
    expect(third.locator(".word")).to_have_text(token)
    expect(third.locator(".forced")).to_have_text("forced")
    expect(writing.part().locator(".cell .forced")).to_have_count(1)
    writing.answer(forced=f"2~{token}", head="0")  # another head of the same text
    writing.expect_step(2, "step 3 of 6")
