import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from model import load_model
from tests.components.conftest import ADDRESS, Board
from tests.components.players import DWELL, Player
from viz.canvas import rounded_to_odd
from viz.style.labels import percent

pytestmark = pytest.mark.browser

TEXT = "the blue flower is not small"  # of the page without a text in its URL
WRITTEN = ["la", "fleur", "bleue", "n'", "est", "pas", "petite", "</s>"]
STEPS = len(WRITTEN)
URL_DELAY = 250  # milliseconds


class Translation(Player):
    """The step view of a translation, drawn with the data of a URL."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, "decoding")
        self.answer()

    def answer(self, **address: str) -> None:
        query = urlencode({"part": "translate", **address})
        self.board.draw(f"decoder?{query}", self.key)

    def target(self) -> Locator:
        return self.part().locator("text.target")

    def rows(self) -> Locator:
        """The tokens of the list."""
        return self.part().locator(".list .token")

    def expect_summary(self, begin: str) -> None:
        expect(self.part().locator(".summary")).to_have_text(re.compile(f"^{re.escape(begin)}"))

    def expect_lines(self, weights: list[list[int]]) -> None:
        """Each weight of at least 0.01, which is 400, has a line."""
        lines = self.part().locator("svg line")
        found = lines.evaluate_all("(lines) => lines.map((line) => Number(line.dataset.weight))")
        assert found == [weight for row in weights for weight in row if weight >= 400]


@pytest.fixture
def translation(board) -> Translation:
    return Translation(board)


def test_keys_step_through_the_tokens_and_write_the_url_without_a_request(translation):
    generated = load_model("phrases").generate(TEXT)
    cross = rounded_to_odd(generated.cross.weights[1, 0]).tolist()
    translation.expect_step(STEPS, "All steps")
    # The first token that goes back in the source: "blue" is before "flower".
    blue = generated.cross.weights[1, 0, 2, 1]
    chosen = f"When “bleue” is written, L1·H0 gives {blue:.2f} of its cross-attention to “blue”."
    translation.expect_summary(chosen)
    expect(translation.target()).to_have_text(["<s>", *WRITTEN])
    expect(translation.part().locator("text.source")).to_have_text([*TEXT.split(), "</s>"])
    translation.expect_lines(cross)
    expect(translation.rows()).to_have_text(WRITTEN)
    numbers = translation.part().locator(".list .number")
    likely = [step.probability for step in generated.steps]
    assert max(likely) < 1 and min(likely) > 0.999
    expect(numbers).to_have_text([percent(p) for p in likely])
    box = translation.part().bounding_box()
    translation.press(*["ArrowLeft"] * 6)
    translation.expect_step(2, f"step 3 of {STEPS}")
    translation.expect_summary(chosen)
    expect(translation.target()).to_have_text(["<s>", *WRITTEN[:3]])
    translation.expect_lines(cross[2:3])
    expect(translation.rows().first).to_have_text("bleue")
    expect(translation.rows().first).to_be_disabled()
    assert translation.timers() == [URL_DELAY] and translation.page.url == f"{ADDRESS}/"
    translation.run_timers()
    assert translation.page.url == f"{ADDRESS}/?step=2"
    assert translation.part().bounding_box() == box  # nothing below it moves
    translation.press("End")
    translation.run_timers()
    assert translation.page.url == f"{ADDRESS}/"
    translation.rows().nth(3).click()
    translation.expect_step(3, f"step 4 of {STEPS}")
    assert translation.page.evaluate("host.events") == []


def test_a_url_opens_its_step_and_back_goes_to_another(board):
    board.page.evaluate("history.replaceState(null, '', '?step=2')")
    translation = Translation(board)
    translation.expect_step(2, f"step 3 of {STEPS}")
    board.page.evaluate("history.pushState(null, '', '?step=5')")  # an outdated URL of the server
    board.page.wait_for_url("**/?step=2")
    translation.press("ArrowRight")
    translation.run_timers()
    board.page.go_back()
    translation.expect_step(2, f"step 3 of {STEPS}")


def test_a_forced_token_is_requested_and_its_step_stays(translation):
    translation.press(*["ArrowLeft"] * 7)
    other = translation.rows().nth(1)
    expect(other).to_have_text("lettre")
    other.click()
    assert translation.sent("forced") == [{"step": 1, "token": "lettre"}]
    translation.answer(forced="1~lettre")
    translation.expect_summary("When “lettre” is written, ")
    expect(translation.slider()).to_have_value("1")
    expect(translation.target().nth(2)).to_have_text("lettre")
    translation.run_timers()
    translation.answer()  # without it again: the step of the URL stays
    translation.expect_step(1, f"step 2 of {STEPS}")
    translation.press("Home")
    translation.answer(head="1")  # the same text with another head: the step stays
    translation.expect_step(0, f"step 1 of {STEPS}")


def test_play_runs_to_the_end(translation):
    label = translation.play()
    expect(label).to_have_accessible_name("Play the steps")
    label.click()
    assert DWELL in translation.timers()
    label.click()  # pause
    assert DWELL not in translation.timers()
    translation.press("End")
    label.click()
    for step, written in enumerate(WRITTEN):
        translation.expect_step(step, f"step {step + 1} of {STEPS}")
        translation.expect_summary(f"When “{written}” is written, ")
        expect(label).to_have_accessible_name("Pause")
        translation.run_timers()
    translation.expect_step(STEPS, "All steps")
    expect(label).to_have_accessible_name("Play the steps")
    assert translation.timers() == [URL_DELAY]
