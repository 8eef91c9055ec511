"""Queue of the computations of one process: limited concurrency, fair turns, short ones first.

Visitors take turns, like the flows of a fair queue (Nagle, RFC 970): first the networks, and within
a network its sessions. A client that sends many requests, or opens many sessions, therefore delays
each computation of another network by one computation.

Each computation runs on one thread and releases the interpreter lock inside torch. More of them
than cores would only wait for each other. The queue forms no batches: eight sentences of 16 tokens
would take half the time, and of 64 tokens four fifths. But a result's last digits would depend on
the other sentences in the batch.
"""

import os
import threading
import time
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count, zip_longest
from typing import Literal

from model.errors import TranslatableError

Kind = Literal["sentence", "token", "long"]
"""A turn for one or two passes; for one token of a generated text; for many passes."""

PRIORITY_DELAY: dict[Kind, float] = {"sentence": 0.0, "token": 1.0, "long": 2.0}
"""Seconds until a request is due. Requests that are due go before the others, so short requests
overtake others by these seconds at most."""

NOTIFY_AFTER = 0.5
"""Seconds until a waiting thread is notified of its position, and between notifications."""

MAX_WAITING = 200
TIMEOUT = 30.0

Visitor = tuple[str, str]
"""Network and session of a visitor."""

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
    visitor: Visitor = field(compare=False)
    timeout: float = field(compare=False)
    granted: threading.Event = field(default_factory=threading.Event, compare=False)


_notify: ContextVar[Notify | None] = ContextVar("notify", default=None)
_visitor: ContextVar[Visitor] = ContextVar("visitor", default=("", ""))


@contextmanager
def turns_of(visitor: Visitor) -> Iterator[None]:
    """Count the turns that this thread requests inside the block as a visitor's."""
    token = _visitor.set(visitor)
    try:
        yield
    finally:
        _visitor.reset(token)


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
            max_waiting: Number of requests that may wait. In a full queue, each network may still
                have its share: this number divided by the number of networks.
            timeout: Seconds that a request may wait.
        """
        self.n_slots, self.max_waiting, self.timeout = n_slots, max_waiting, timeout
        self._running: Counter[Kind] = Counter()
        self._waiting: list[_Request] = []  # sorted by rank
        # When a network or visitor with waiting requests had its last turn, or else joined.
        self._last_turn: dict[Hashable, int] = {}
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
        visitor = _visitor.get()
        request = _Request(rank, next(self._numbers), kind, visitor, self.timeout)
        with self._lock:
            if self._is_full_for(visitor[0]):
                raise BusyError(
                    "The server is busy: {count} computations are waiting. Try again in a moment.",
                    count=len(self._waiting),
                )
            insort(self._waiting, request)
            for flow in visitor, visitor[0]:
                self._last_turn.setdefault(flow, request.number)
            self._grant()
        return request

    def _is_full_for(self, network: str) -> bool:
        if len(self._waiting) < self.max_waiting:
            return False
        waiting = Counter(request.visitor[0] for request in self._waiting)
        return waiting[network] >= self.max_waiting // len({*waiting, network})

    def _wait_for(self, request: _Request) -> None:
        if request.granted.wait(min(NOTIFY_AFTER, request.timeout)):
            return
        notify = _notify.get() or _ignore
        deadline = time.monotonic() + request.timeout - NOTIFY_AFTER
        try:
            while not request.granted.is_set():
                if time.monotonic() >= deadline:
                    raise BusyError(
                        "The server is busy: this computation did not begin within {seconds:g} "
                        "seconds. Try again in a moment.",
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
            return self._in_turn().index(request) if request in self._waiting else 0

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
        for request in self._in_turn():
            if self._running.total() >= self.n_slots:
                break
            if request.kind != "long" or self._running["long"] < max(1, self.n_slots - 1):
                self._waiting.remove(request)
                self._running[request.kind] += 1
                turn = next(self._numbers)
                self._last_turn |= {request.visitor: turn, request.visitor[0]: turn}
                request.granted.set()
        flows = {flow for each in self._waiting for flow in (each.visitor, each.visitor[0])}
        self._last_turn = {flow: self._last_turn[flow] for flow in flows}

    def _in_turn(self) -> list[_Request]:
        """The waiting requests in the order of their turns; the caller holds the lock."""
        now = time.monotonic()
        due = [request for request in self._waiting if request.rank <= now]
        return self._alternate(due) + self._alternate(self._waiting[len(due) :])

    def _alternate(self, requests: list[_Request]) -> list[_Request]:
        by_visitor = self._round_robin(requests, lambda request: request.visitor)
        return self._round_robin(by_visitor, lambda request: request.visitor[0])

    def _round_robin(
        self, requests: Iterable[_Request], flow_of: Callable[[_Request], Hashable]
    ) -> list[_Request]:
        """One request of each flow in turn; first the flow that has waited longest for a turn."""
        flows = defaultdict[Hashable, list[_Request]](list)
        for request in requests:
            flows[flow_of(request)].append(request)
        rounds = zip_longest(
            *(flows[flow] for flow in sorted(flows, key=self._last_turn.__getitem__))
        )
        return [request for each in rounds for request in each if request]


def _ignore(before: int | None) -> None:
    """Notify nobody."""
