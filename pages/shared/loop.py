"""The server's event loop, which another thread wakes once for all that it has to say.

A run of a page says eighty things, one by one, and asyncio would be woken for each: the interpreter
goes to and fro between two threads each time, for a tenth of what the run itself costs.
"""

from asyncio import SelectorEventLoop


class Loop(SelectorEventLoop):
    """As asyncio's own, but a wake-up that is under way is not followed by others."""

    _woken = False

    def _write_to_self(self) -> None:
        """Wake the loop: what is to be called is in its queue by now."""
        if not self._woken:
            self._woken = True
            super()._write_to_self()  # type: ignore[misc]

    def _process_self_data(self, data: bytes) -> None:
        """Awake; what was queued while the mark still stood is called in this very turn."""
        self._woken = False
        super()._process_self_data(data)  # type: ignore[misc]
