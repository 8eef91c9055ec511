"""The server's event loop, which another thread wakes once for all that it has to say.

A run of a page says eighty things, one by one, and asyncio would be woken for each: the interpreter
goes to and fro between two threads each time, for a tenth of what the run itself costs.
"""

from asyncio import SelectorEventLoop

PAUSE = 0.003
"""Seconds between two wake-ups: what is said meanwhile is heard at their end, all of it."""


class Loop(SelectorEventLoop):
    """As asyncio's own, but a wake-up is not followed by others at once."""

    _woken = False

    def _write_to_self(self) -> None:
        """Wake the loop: what is to be called is in its queue by now."""
        if not self._woken:
            self._woken = True
            super()._write_to_self()  # type: ignore[misc]

    def _process_self_data(self, data: bytes) -> None:
        """Awake; what is queued while the mark stands is called by the time it is away."""
        self.call_later(PAUSE, self._rested)
        super()._process_self_data(data)  # type: ignore[misc]

    def _rested(self) -> None:
        # What was queued until now is called in this turn or the next, which does not wait then.
        self._woken = False
