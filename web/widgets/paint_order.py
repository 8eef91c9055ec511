"""Delays the heatmaps until the browser has drawn the overviews.

A browser draws everything that has arrived, Plotly's charts first. If the overviews and the
heatmaps arrive together, the overviews appear 0.1 to 0.2 s later. The delay costs the heatmaps up
to 50 ms at 128 tokens, and nothing measurable at 16.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_sent_bytes: ContextVar[int] = ContextVar("sent_bytes", default=0)


def count_sent_bytes(n_bytes: int) -> None:
    """Add to the bytes sent to the browser; an overview of 128 tokens has 0.2 MB."""
    _sent_bytes.set(_sent_bytes.get() + n_bytes)


@contextmanager
def painted_first() -> Iterator[None]:
    """Wait at the end until the browser has probably drawn the content of the block."""
    before = _sent_bytes.set(0)
    try:
        yield
        time.sleep(_paint_time(_sent_bytes.get()))
    finally:
        _sent_bytes.reset(before)


def _paint_time(n_bytes: int) -> float:
    """Estimate the seconds that ``n_bytes`` need to arrive and be drawn."""
    return 0.05 + 15e-9 * n_bytes
