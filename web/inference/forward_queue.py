"""Queue of the computations of one process: limited concurrency, short ones first.

Each computation runs on one thread and releases the interpreter lock inside torch. More of them
than cores would only wait for each other. The queue forms no batches: eight sentences of 16 tokens
would take half the time, and of 64 tokens four fifths. But a result's last digits would depend on
the other sentences in the batch.
"""

import os
import threading
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from model.errors import TranslatableError

Kind = Literal["sentence", "token", "long"]
"""A turn for one or two passes; for one token of a generated text; for many passes."""

PRIORITY_DELAY: dict[Kind, float] = {"sentence": 0.0, "token": 1.0, "long": 2.0}
"""Seconds added to the arrival time of a request. Short requests overtake others by these seconds
at most, so no request starves."""

NOTIFY_AFTER = 0.5
"""Seconds until a waiting thread is notified of its position, and between notifications."""

MAX_WAITING = 200
TIMEOUT = 30.0

Notify = Callable[[int | None], None]
"""Called with the number of requests before this one while it waits, then with None."""


class BusyError(TranslatableError):
    """Retryable: the queue is full, or the wait was too long.

    Not a :class:`HeadlightError`: error handlers of pages must not catch it.
    """


@dataclass(order=True)
class _Request:
    rank: float
    number: int
    kind: Kind = field(compare=False)
    timeout: float = field(compare=False)
    granted: threading.Event = field(default_factory=threading.Event, compare=False)


_notify: ContextVar[Notify | None] = ContextVar("notify", default=None)


@contextmanager
def notify_waiters(notify: Notify) -> Iterator[None]:
    """Call ``notify`` while this thread waits for a turn inside the block."""
    token = _notify.set(notify)
    try:
        yield
    finally:
        _notify.reset(token)


def current_notify() -> Notify | None:
    """The callback that :func:`notify_waiters` has set for this thread."""
    return _notify.get()


def available_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ForwardQueue:
    """Grants turns: ``with forward_queue.turn():`` around each computation."""

    def __init__(
        self, n_slots: int, max_waiting: int = MAX_WAITING, timeout: float = TIMEOUT
    ) -> None:
        """Create an empty queue.

        Args:
            n_slots: Number of turns at a time, at least 1.
            max_waiting: Number of requests that may wait.
            timeout: Seconds that a request may wait.
        """
        self.n_slots, self.max_waiting, self.timeout = n_slots, max_waiting, timeout
        self._running: Counter[Kind] = Counter()
        self._waiting: list[_Request] = []  # sorted by rank
        self._numbers = count()
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, kind: Kind = "sentence") -> Iterator[None]:
        """Wait for a turn and hold it during the block.

        Args:
            kind: Kind of the computation. Long ones leave one slot to the others.

        Raises:
            BusyError: If the queue is full, or the turn is not granted in time.
        """
        self._wait_for(self._enqueue(kind))
        try:
            yield
        finally:
            self._release(kind)

    def has_free_slots(self, needed: int = 1) -> bool:
        """Whether ``needed`` turns requested now would be granted immediately."""
        with self._lock:
            return not self._waiting and self._running.total() + needed <= self.n_slots

    def _enqueue(self, kind: Kind) -> _Request:
        rank = time.monotonic() + PRIORITY_DELAY[kind]
        request = _Request(rank, next(self._numbers), kind, self.timeout)
        with self._lock:
            if len(self._waiting) >= self.max_waiting:
                raise BusyError(
                    "The server is busy: {count} others wait for a computation. Try again in a "
                    "moment.",
                    count=len(self._waiting),
                )
            insort(self._waiting, request)
            self._grant()
        return request

    def _wait_for(self, request: _Request) -> None:
        if request.granted.wait(min(NOTIFY_AFTER, request.timeout)):
            return
        notify = _notify.get() or _ignore
        deadline = time.monotonic() + request.timeout - NOTIFY_AFTER
        try:
            while not request.granted.is_set():
                if time.monotonic() >= deadline:
                    raise BusyError(
                        "The server is busy: after {seconds:g} seconds this computation had not "
                        "begun. Try again in a moment.",
                        seconds=request.timeout,
                    )
                notify(self._count_before(request))
                request.granted.wait(NOTIFY_AFTER)
            notify(None)
        except (
            BaseException
        ):  # notify may raise too: Streamlit stops the run of a page that is left
            self._cancel(request)
            raise

    def _count_before(self, request: _Request) -> int:
        with self._lock:
            return self._waiting.index(request) if request in self._waiting else 0

    def _cancel(self, request: _Request) -> None:
        with self._lock:
            if request in self._waiting:
                self._waiting.remove(request)
                return
        self._release(request.kind)

    def _release(self, kind: Kind) -> None:
        with self._lock:
            self._running[kind] -= 1
            self._grant()

    def _grant(self) -> None:
        """Grant the free turns to the first requests; the caller holds the lock."""
        for request in tuple(self._waiting):
            if self._running.total() >= self.n_slots:
                return
            if request.kind != "long" or self._running["long"] < max(1, self.n_slots - 1):
                self._waiting.remove(request)
                self._running[request.kind] += 1
                request.granted.set()


def _ignore(before: int | None) -> None:
    """Notify nobody."""
