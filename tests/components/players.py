"""A player on the static page: slider, play button, and its timers, which a test runs."""

from playwright.sync_api import Locator, expect

from tests.components.conftest import Board

DWELL = 900  # milliseconds for which playback shows a stop

TIMERS = """() => {
  const waiting = new Map();
  let newest = 0;
  window.setTimeout = (act, time) => {
    waiting.set(++newest, { act, time });
    return newest;
  };
  window.clearTimeout = (timer) => waiting.delete(timer);
  window.timers = {
    times: () => [...waiting.values()].map(({ time }) => time),
    run: () => {
      const due = [...waiting.values()];
      waiting.clear();
      due.forEach(({ act }) => act());
    },
  };
}"""


class Player:
    """A player by the key of its component; its timers do not run by themselves."""

    def __init__(self, board: Board, key: str) -> None:
        self.board = board
        self.page = board.page
        self.key = key
        self.page.evaluate(TIMERS)

    def part(self) -> Locator:
        return self.board.part(self.key)

    def slider(self) -> Locator:
        return self.part().get_by_role("slider")

    def play(self) -> Locator:
        return self.part().locator(".play")

    def press(self, *keys: str) -> None:
        self.slider().focus()
        for key in keys:
            self.page.keyboard.press(key)

    def timers(self) -> list[int]:
        """The times in milliseconds of the timers that wait."""
        return self.page.evaluate("timers.times()")

    def run_timers(self) -> None:
        self.page.evaluate("timers.run()")

    def expect_step(self, step: int, name: str) -> None:
        expect(self.slider()).to_have_value(str(step))
        expect(self.part().locator("output")).to_have_text(name)
        expect(self.slider()).to_have_attribute("aria-valuetext", name)

    def sent(self, trigger: str) -> list[dict[str, object]]:
        """The events of a trigger, without their times."""
        events = self.board.events(trigger)
        return [{name: value[name] for name in value if name != "at"} for value in events]
