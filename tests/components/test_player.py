import pytest
from playwright.sync_api import expect

from model.catalogue import encoder_files
from model.catalogue.translation_files import translation
from tests.components.players import DWELL, Player

pytestmark = pytest.mark.browser

STEPS = [0, 100, 200, 300, 500, 1000, 5000]
NAMES = [f"step {step:,}" for step in STEPS]
LAST = len(STEPS) - 1
CHECKPOINTS = encoder_files.history().checkpoints
RUN = f"explore?training=1&left=scratch@{CHECKPOINTS[4].step}&layer=3&head=1"
PLAY, PAUSE = "Play the training", "Pause"
DEBOUNCE = 80  # milliseconds


class Training(Player):
    """The slider through the checkpoints of the translator."""

    def __init__(self, board) -> None:
        super().__init__(board, "learning")
        self.answer(LAST)

    def answer(self, stop: int) -> None:
        model = "phrases" if stop == LAST else f"phrases@{STEPS[stop]}"
        self.board.draw(f"decoder?part=translate&training=1&model={model}", self.key)

    def expect_sent(self, *stops: int) -> None:
        assert self.sent("stop") == [{"index": stop} for stop in stops]

    def says(self, label: str) -> None:
        expect(self.play()).to_have_accessible_name(label)
        expect(self.play()).to_have_text("❚❚" if label == PAUSE else "▶")


@pytest.fixture
def training(board) -> Training:
    return Training(board)


def test_keys_move_the_slider_and_only_the_last_stop_is_requested(training):
    assert [step.step for step in translation("phrases").checkpoints] == STEPS
    training.expect_step(LAST, NAMES[LAST])
    training.press("ArrowLeft", "ArrowLeft")
    training.expect_step(4, NAMES[4])
    assert training.timers() == [DEBOUNCE]
    training.run_timers()
    training.expect_sent(4)
    training.press("Home", "End")  # back to the stop on the page, whose page is not on its way
    training.run_timers()
    training.expect_sent(4, LAST)


def test_a_late_page_does_not_move_the_slider_back(training):
    for _ in range(2):
        training.press("ArrowLeft")
        training.run_timers()
    training.answer(5)
    training.expect_step(4, NAMES[4])
    training.answer(4)
    training.answer(LAST)  # chosen elsewhere
    training.expect_step(LAST, NAMES[LAST])


def test_a_click_on_the_curves_requests_its_stop(training):
    strips = training.part().locator("rect.stop")
    expect(strips).to_have_count(len(STEPS))
    strips.nth(1).click()
    training.expect_step(1, NAMES[1])
    training.run_timers()
    training.expect_sent(1)
    places = "(dots) => dots.map((dot) => [dot.cx.baseVal.value, dot.cy.baseVal.value])"
    dots = training.part().locator("circle").evaluate_all(places)
    middle = strips.nth(1).evaluate("({ x, width }) => x.baseVal.value + width.baseVal.value / 2")
    # A share of 1 is at 10 pixels, and 0 at 120.
    shares = [translation("phrases").checkpoints[1].exact, 0.131]
    for (x, y), share in zip(dots, shares, strict=True):
        assert x == pytest.approx(middle) and y == pytest.approx(120 - 110 * share, abs=0.01)


def test_playback_waits_for_each_page_and_stops_at_the_last(training):
    training.answer(4)
    training.play().click()
    for stop in (5, LAST):
        training.expect_step(stop, NAMES[stop])
        training.says(PAUSE if stop < LAST else PLAY)
        assert training.timers() == [DEBOUNCE]
        training.run_timers()
        training.expect_sent(*range(5, stop + 1))
        assert training.timers() == []  # until the page arrives
        training.answer(stop)
        assert training.timers() == ([DWELL] if stop < LAST else [])
        training.run_timers()
    training.play().click()  # again, from the first
    training.expect_step(0, NAMES[0])
    training.says(PAUSE)


def test_pause_keeps_the_current_checkpoint(training):
    training.answer(4)
    # The space bar of a presentation plays.
    training.page.evaluate("dispatchEvent(new CustomEvent('headlight-play', { cancelable: true }))")
    training.run_timers()
    training.expect_step(5, NAMES[5])
    training.play().click()
    training.says(PLAY)
    training.answer(5)
    assert training.timers() == []
    training.answer(4)
    training.play().click()
    training.says(PAUSE)
    training.press("ArrowLeft")  # a move of the slider pauses
    training.says(PLAY)
    training.run_timers()
    training.expect_sent(5, 4)  # the last stop of the playback was never requested


def test_the_legend_has_the_numbers_of_the_selected_step(board):
    player = Player(board, "training_left")

    def expect_legend(stop: int, layer: int, head: int) -> None:
        found, name = CHECKPOINTS[stop], f"L{layer}·H{head}"
        expect(player.part().locator(".key span")).to_have_text(
            [
                f"hidden tokens predicted correctly {found.top1:.3f}",
                f"{name}: attention on the previous token {found.previous[layer][head]:.2f}",
                f"{name}: attention on the next token {found.next[layer][head]:.2f}",
            ]
        )

    board.draw(RUN, "training_left")
    expect_legend(4, 3, 1)
    player.press("ArrowLeft")
    expect_legend(3, 3, 1)
