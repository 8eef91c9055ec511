"""Queue of the computations of one process: first in, first out, with limits and a deadline.

Each computation runs on one thread and releases the interpreter lock inside torch. A heavy one, of
many passes, leaves one slot to the others; on one core it waits until no other computation does.

The queue forms no batches: they would be faster, but a result's last digits would depend on the
other sentences in the batch.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from model.errors import TranslatableError

NOTIFY_AFTER = 0.5
"""Seconds until a waiting thread is notified of its position, and between notifications."""

Notify = Callable[[int | None], None]
"""Called with the number of requests before this one while it waits, then with None."""


class BusyError(TranslatableError):
    """Retryable, and no :class:`HeadlightError`: error handlers of pages must not catch it."""


def busy() -> BusyError:
    """Return the refusal."""
    return BusyError("The server is busy. Try again in a moment.")


@dataclass(eq=False)
class _Request:
    heavy: bool
    address: str
    timeout: float
    granted: threading.Event = field(default_factory=threading.Event)


_visitor = ContextVar[tuple[str, Notify | None]]("visitor", default=("", None))


@contextmanager
def turns_of(address: str, notify: Notify | None = None) -> Iterator[None]:
    """Count the turns that this thread requests inside the block as an address's.

    ``notify`` is called while it waits for one.
    """
    token = _visitor.set((address, notify))
    try:
        yield
    finally:
        _visitor.reset(token)


def current_notify() -> Notify | None:
    """The callback that :func:`turns_of` has set for this thread."""
    return _visitor.get()[1]


def available_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ForwardQueue:
    """Grants ``n_slots`` turns at a time: ``with forward_queue.turn():`` around each computation.

    ``max_waiting`` requests may wait, for ``timeout`` seconds; of one address, three quarters.
    """

    def __init__(self, n_slots: int, max_waiting: int = 200, timeout: float = 30.0) -> None:
        self.n_slots, self.max_waiting, self.timeout = n_slots, max_waiting, timeout
        self._running: list[_Request] = []
        self._waiting: list[_Request] = []  # the oldest first
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, heavy: bool = False) -> Iterator[None]:
        """Wait for a turn and hold it during the block; ``heavy``: it has many passes.

        Raises:
            BusyError: If the queue is full, or the turn is not granted in time.
        """
        request = self._enqueue(heavy)
        try:
            self._wait_for(request)
            yield
        finally:
            self._release(request)

    def _enqueue(self, heavy: bool) -> _Request:
        request = _Request(heavy, _visitor.get()[0], self.timeout)
        with self._lock:
            of_address = sum(other.address == request.address for other in self._waiting)
            if max(len(self._waiting), of_address * 4 / 3) >= self.max_waiting:
                raise busy()
            self._waiting.append(request)
            self._grant()
        return request

    def _wait_for(self, request: _Request) -> None:
        if request.granted.wait(min(NOTIFY_AFTER, request.timeout)):
            return
        notify = current_notify() or (lambda before: None)
        deadline = time.monotonic() + request.timeout - NOTIFY_AFTER
        while not request.granted.is_set():
            if time.monotonic() >= deadline:
                raise busy()
            notify(self._count_before(request))
            request.granted.wait(NOTIFY_AFTER)
        notify(None)

    def _count_before(self, request: _Request) -> int:
        with self._lock:
            return self._waiting.index(request) if request in self._waiting else 0

    def _release(self, request: _Request) -> None:
        with self._lock:
            held = self._running if request in self._running else self._waiting
            held.remove(request)
            self._grant()

    def _grant(self) -> None:
        """Grant the free turns to the oldest requests; the caller holds the lock."""
        for request in list(self._waiting):
            if len(self._running) >= self.n_slots:
                return
            if request.heavy and not self._has_heavy_slot():
                continue
            self._waiting.remove(request)
            self._running.append(request)
            request.granted.set()

    def _has_heavy_slot(self) -> bool:
        if self.n_slots == 1:
            return all(request.heavy for request in self._waiting)
        return sum(request.heavy for request in self._running) < self.n_slots - 1
