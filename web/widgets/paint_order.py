"""What a visitor sees first: the overviews, then the heatmaps.

A browser draws at once whatever has arrived, and Plotly's charts before anything else: sent in one
go, the overviews appear 0.1 to 0.2 s later. So what follows them waits. The price is paid at the
end: the heatmaps come up to some 50 ms later at 128 tokens, and no later than the noise at 16.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_sent: ContextVar[int] = ContextVar("sent", default=0)


def sending(n_bytes: int) -> None:
    """Count something large on its way to the browser; at 128 tokens an overview is 0.2 MB."""
    _sent.set(_sent.get() + n_bytes)


@contextmanager
def shown_first() -> Iterator[None]:
    """Let what is drawn inside be on screen before what is drawn after it."""
    before = _sent.set(0)
    try:
        yield
        time.sleep(_head_start(_sent.get()))
    finally:
        _sent.reset(before)


def _head_start(n_bytes: int) -> float:
    """Seconds for so many bytes to arrive and be drawn."""
    return 0.05 + 15e-9 * n_bytes
