"""How a run is asked to stop."""

import signal
from types import FrameType


class Stop:
    """Ctrl-C and a polite kill end the step that is running, and the checkpoint is written."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
