"""Event loop that wakes up at most once in 3 ms for calls from other threads.

Replaces: asyncio's self-pipe, which is written for every ``call_soon_threadsafe``.
Why: a run of a page sends about eighty messages, and each wakes the event loop. The two threads
then take the interpreter lock from each other eighty times.
Measured: ``python -m benchmarks.patches event_loop``; the result is in README.md.
Upstream: not reported: uvloop and asyncio coalesce no wake-ups; Streamlit could enqueue the
messages of a run together.
Delete it when Streamlit flushes the messages of a run in batches.
"""

import sys
from asyncio import SelectorEventLoop

from uvicorn.config import LOOP_FACTORIES

PAUSE = 0.003
"""Seconds between two wake-ups. Calls that arrive in between run at its end."""

TARGETS = {
    "asyncio.selector_events:BaseSelectorEventLoop._write_to_self": "153a5d2d5920",
    "asyncio.selector_events:BaseSelectorEventLoop._process_self_data": "e1417514b94e",
    "uvicorn.config:Config.get_loop_factory": "de5a9cb6dc6b",
}


class CoalescingEventLoop(SelectorEventLoop):
    """asyncio's selector event loop with a pause between wake-ups by other threads."""

    _woken = False

    def _write_to_self(self) -> None:
        """Wake the loop up, unless a wake-up is under way. The call is already in its queue."""
        if not self._woken:
            self._woken = True
            super()._write_to_self()  # type: ignore[misc]

    def _process_self_data(self, data: bytes) -> None:
        """Run the queued calls; those queued during the pause run at its end."""
        self.call_later(PAUSE, self._end_pause)
        super()._process_self_data(data)  # type: ignore[misc]

    def _end_pause(self) -> None:
        # Calls queued until now run in this iteration or in the next one, which does not wait.
        self._woken = False


def loop_factory(use_subprocess: bool = False) -> type[CoalescingEventLoop]:
    """Return the factory of the loop, as uvicorn's own functions of this kind do."""
    return CoalescingEventLoop


def install() -> None:
    """Make it the event loop that uvicorn chooses by default.

    Not on Windows, where a selector waits for 512 sockets at most; uvicorn's default has no limit.
    """
    if sys.platform != "win32":
        LOOP_FACTORIES["auto"] = f"{__name__}:{loop_factory.__name__}"
