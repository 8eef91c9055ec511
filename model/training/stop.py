"""Signal handler that stops a run."""

import signal
from types import FrameType


class Stop:
    """Handler of SIGINT and SIGTERM. The loop finishes its step and writes a checkpoint."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
