"""A translation step by step: stepping, playing, forcing, the picture and its file."""

import re
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, expect

from model import load_model
from tests.components.conftest import ADDRESS, Board
from tests.components.players import Player

pytestmark = pytest.mark.browser

TEXT = "the blue flower is not small"
WRITTEN = ["la", "fleur", "bleue", "n'", "est", "pas", "petite", "</s>"]
SOURCE = [*TEXT.split(), "</s>"]
STEPS = len(WRITTEN)
URL_DELAY, DWELL = 250, 900  # milliseconds


class Translation(Player):
    """The step view of a translation, drawn with the data of a URL."""

    def __init__(self, board: Board, **address: str) -> None:
        super().__init__(board, "decoding")
        self.answer(**address)

    def answer(self, **address: str) -> None:
        """Draw the server's answer."""
        query = urlencode({"part": "translate", "text": TEXT, **address})
        self.board.draw(f"decoder?{query}", self.key)

    def target(self) -> Locator:
        return self.part().locator("text.target")

    def rows(self) -> Locator:
        """The tokens of the list."""
        return self.part().locator(".list .token")

    def expect_summary(self, begin: str) -> None:
        expect(self.part().locator(".summary")).to_have_text(re.compile(f"^{re.escape(begin)}"))

    def weights(self) -> list[int]:
        """The weights of the lines in ten-thousandths."""
        lines = self.part().locator("svg line")
        return lines.evaluate_all("(lines) => lines.map((line) => Number(line.dataset.weight))")


@pytest.fixture
def translation(board) -> Translation:
    return Translation(board)


def cross() -> list[list[int]]:
    """Weights of the cross-attention of L1·H0 in ten-thousandths."""
    weights = load_model("phrases").generate(TEXT).cross.weights[1, 0]
    return [[round(float(weight) * 10_000) for weight in row] for row in weights]


def test_all_steps_show_every_line_and_how_likely_each_token_was(translation):
    translation.expect_step(STEPS, "all steps")
    translation.expect_summary("“la fleur bleue n'est pas petite”: what each written token")
    expect(translation.target()).to_have_text(["<s>", *WRITTEN])
    expect(translation.part().locator("text.source")).to_have_text(SOURCE)
    assert translation.weights() == [w for row in cross() for w in row if w >= 100]
    expect(translation.part().locator(".beside .title")).to_have_text("How likely each token was")
    expect(translation.rows()).to_have_text(WRITTEN)
    steps = load_model("phrases").generate(TEXT).steps
    numbers = translation.part().locator(".list .number")
    expect(numbers).to_have_text([f"{step.probability:.4f}" for step in steps])
    translation.rows().nth(3).click()
    translation.expect_step(3, f"step 4 of {STEPS}")


def test_keys_step_through_the_tokens_and_write_the_url_without_a_request(translation):
    box = translation.part().bounding_box()
    translation.press(*["ArrowLeft"] * 6)
    translation.expect_step(2, f"step 3 of {STEPS}")
    translation.expect_summary("Writes “bleue”. At “fleur”, L1·H0 attends most to “blue” (")
    expect(translation.target()).to_have_text(["<s>", *WRITTEN[:3]])
    assert translation.weights() == [weight for weight in cross()[2] if weight >= 100]
    expect(translation.rows().first).to_have_text("bleue")
    expect(translation.rows()).to_have_count(6)
    expect(translation.rows().first).to_be_disabled()
    assert translation.timers() == [URL_DELAY] and translation.page.url == f"{ADDRESS}/"
    translation.run_timers()
    assert translation.page.url == f"{ADDRESS}/?step=2"
    assert translation.part().bounding_box() == box  # nothing below it moves
    translation.press("End")
    translation.run_timers()
    assert translation.page.url == f"{ADDRESS}/"
    assert translation.page.evaluate("host.events") == []


def test_a_url_opens_its_step_and_back_goes_to_another(board):
    board.page.evaluate("history.replaceState(null, '', '?step=2')")
    translation = Translation(board)
    translation.expect_step(2, f"step 3 of {STEPS}")
    translation.expect_summary("Writes “bleue”.")
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
    translation.expect_summary("Writes “lettre”. At “la”")
    expect(translation.slider()).to_have_value("1")
    expect(translation.target().nth(2)).to_have_text("lettre")
    translation.answer(head="2")  # without it again: a new text shows all steps
    expect(translation.part().locator("output")).to_have_text("all steps")
    translation.press("Home")
    translation.answer(head="1")  # the same text with another head: the step stays
    translation.expect_step(0, f"step 1 of {STEPS}")


def test_play_runs_to_the_end(board):
    translation = Translation(board, text="the cat")
    label = translation.play()
    expect(label).to_have_accessible_name("Play the steps")
    label.click()
    assert DWELL in translation.timers()
    label.click()  # pause
    assert DWELL not in translation.timers()
    translation.press("End")
    label.click()
    for step, written in enumerate(["le", "chat", "</s>"]):
        translation.expect_step(step, f"step {step + 1} of 3")
        translation.expect_summary(f"Writes “{written}”.")
        expect(label).to_have_accessible_name("Pause")
        assert DWELL in translation.timers()
        translation.run_timers()
    translation.expect_step(3, "all steps")
    expect(label).to_have_accessible_name("Play the steps")
    assert translation.timers() == [URL_DELAY]


def test_the_saved_picture_shows_the_crossing_of_the_alignment(translation, tmp_path):
    file = tmp_path / "headlight_phrases_the-blue-flower-is-not-small.svg"
    about = translation.save(file)
    assert about["source"] == TEXT and "step" not in about["link"]
    root = ElementTree.parse(file).getroot()
    lines = root.findall("{http://www.w3.org/2000/svg}line")
    strong = [line for line in lines if float(line.get("stroke-opacity")) > 0.8]
    ends = sorted((float(line.get("x1")), float(line.get("x2"))) for line in strong)
    attended = [source for _, source in ends]
    assert len(ends) >= 3 and attended != sorted(attended)
    assert float(root.get("width")) > 400


def test_on_a_phone_the_tokens_become_columns(translation):
    svg = translation.part().locator("svg")
    expect(svg).to_have_attribute("viewBox", re.compile("268$"))
    translation.page.set_viewport_size({"width": 340, "height": 844})
    expect(svg).to_have_attribute("viewBox", "0 0 324 278")
    html = translation.page.locator("html")
    assert html.evaluate("(page) => page.scrollWidth <= page.clientWidth")


def test_the_hypotheses_of_a_beam_search_are_listed_and_dropped_ones_crossed_out(board):
    translation = Translation(board, how="beam", beams="2")
    first = load_model("phrases").generate(TEXT, beams=2).search[0]
    translation.press("Home")
    words = translation.part().locator(".list .wide")
    expect(words).to_have_text([" ".join(each.tokens) for each in (*first.kept, *first.dropped)])
    line = "(words) => words.map((word) => getComputedStyle(word).textDecorationLine)"
    crossed = ["none"] * len(first.kept) + ["line-through"] * len(first.dropped)
    assert words.evaluate_all(line) == crossed and len(set(crossed)) == 2
