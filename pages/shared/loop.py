"""The server's event loop, for which a run of a page is one thing and not eighty.

A run says eighty things, one by one. asyncio is woken for each, and Streamlit lets it look at every
connection behind each that it sends: the interpreter goes to and fro between two threads each time,
for a third of what the run itself costs.
"""

import time
from asyncio import SelectorEventLoop
from selectors import DefaultSelector, SelectorKey

PAUSE = 0.001
"""Seconds between two looks at the connections while there is something to do."""


class Loop(SelectorEventLoop):
    """As asyncio's own, but a wake-up that is under way is not followed by others."""

    def __init__(self) -> None:
        """Make it, with a selector of its own."""
        super().__init__(_Selector())
        self._woken = False

    def _write_to_self(self) -> None:
        """Wake the loop: what is to be called is in its queue by now."""
        if not self._woken:
            self._woken = True
            super()._write_to_self()  # type: ignore[misc]

    def _process_self_data(self, data: bytes) -> None:
        """Awake; what was queued while the mark still stood is called in this very turn."""
        self._woken = False
        super()._process_self_data(data)  # type: ignore[misc]


class _Selector(DefaultSelector):
    _looked = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Look at the connections; while something else is to be done, not all the time."""
        if timeout is not None and timeout <= 0 and time.monotonic() - self._looked < PAUSE:
            return []
        found = super().select(timeout)
        self._looked = time.monotonic()
        return found
