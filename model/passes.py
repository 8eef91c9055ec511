"""The forward passes of a process that many ask: few at a time, what is quick first, none forever.

Each runs on one thread, and torch lets go of the interpreter meanwhile: as many at a time as there
are cores, or they would wait for one another inside. Passes are not put together into batches:
eight sentences of 16 tokens would save half of their passes, of 64 tokens a fifth, but what a
sentence's last digits are would depend on who else was waiting.
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

from model.errors import SaidError

Kind = Literal["sentence", "token", "long"]
"""What is computed in a turn: a pass or two; a token of a text that is written, of which others
follow; or what takes many passes in one turn."""

LATER: dict[Kind, float] = {"sentence": 0.0, "token": 1.0, "long": 2.0}
"""Seconds by which a kind counts as having come later: what is quick goes first, and what is not
waits no longer than that for those who come after it."""

TELL_AFTER = 0.5
"""Seconds after which whoever waits is told how many are before it."""

MOST_WAITING = 200
PATIENCE = 30.0

Tell = Callable[[int | None], None]
"""Is told how many are before a turn, as long as it has not come; then None."""


class BusyError(SaidError):
    """Too many ask at once: what was asked is right, and may be asked again.

    No mistake, and so no :class:`HeadlightError`: whoever says what is wrong in the place of an
    answer lets it through, to where it can be asked again.
    """


@dataclass(order=True)
class _Asked:
    rank: float
    number: int
    kind: Kind = field(compare=False)
    patience: float = field(compare=False)
    come: threading.Event = field(default_factory=threading.Event, compare=False)


_tell: ContextVar[Tell | None] = ContextVar("tell_who_waits", default=None)


@contextmanager
def told(tell: Tell) -> Iterator[None]:
    """Have it told, of turns that this thread waits for inside, how many are before them."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


def teller() -> Tell | None:
    """Who is told of this thread's turns, as :func:`told` has it."""
    return _tell.get()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Passes:
    """Turns at the cores: ``with passes.turn():`` around each forward pass."""

    def __init__(
        self, at_once: int, most_waiting: int = MOST_WAITING, patience: float = PATIENCE
    ) -> None:
        """Nothing runs yet.

        Args:
            at_once: How many run at a time, at least 1.
            most_waiting: How many may wait.
            patience: Seconds that each may wait.
        """
        self.at_once, self.most_waiting, self.patience = at_once, most_waiting, patience
        self._running: Counter[Kind] = Counter()
        self._waiting: list[_Asked] = []  # by rank
        self._numbers = count()
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, kind: Kind = "sentence") -> Iterator[None]:
        """Wait for a turn and hold it.

        Args:
            kind: What is computed in it. Those that are long leave one core to the others.

        Raises:
            BusyError: If too many wait already, or the turn does not come in time.
        """
        self._wait_for(self._ask(kind))
        try:
            yield
        finally:
            self._end(kind)

    def idle(self, needed: int = 1) -> bool:
        """Whether so many turns that are asked for now would come at once."""
        with self._lock:
            return not self._waiting and self._running.total() + needed <= self.at_once

    def _ask(self, kind: Kind) -> _Asked:
        rank = time.monotonic() + LATER[kind]
        asked = _Asked(rank, next(self._numbers), kind, self.patience)
        with self._lock:
            if len(self._waiting) >= self.most_waiting:
                raise BusyError(
                    "The server is busy: {count} others wait for a computation. Try again in a "
                    "moment.",
                    count=len(self._waiting),
                )
            insort(self._waiting, asked)
            self._hand_out()
        return asked

    def _wait_for(self, asked: _Asked) -> None:
        if asked.come.wait(min(TELL_AFTER, asked.patience)):
            return
        tell = _tell.get() or _nobody
        given_up = time.monotonic() + asked.patience - TELL_AFTER
        try:
            while not asked.come.is_set():
                if time.monotonic() >= given_up:
                    raise BusyError(
                        "The server is busy: after {seconds:g} seconds this computation had not "
                        "begun. Try again in a moment.",
                        seconds=asked.patience,
                    )
                tell(self._before(asked))
                asked.come.wait(TELL_AFTER)
            tell(None)
        except BaseException:  # a page that is left while it waits, too
            self._leave(asked)
            raise

    def _before(self, asked: _Asked) -> int:
        with self._lock:
            return self._waiting.index(asked) if asked in self._waiting else 0

    def _leave(self, asked: _Asked) -> None:
        with self._lock:
            if asked in self._waiting:
                self._waiting.remove(asked)
                return
        self._end(asked.kind)

    def _end(self, kind: Kind) -> None:
        with self._lock:
            self._running[kind] -= 1
            self._hand_out()

    def _hand_out(self) -> None:
        """Give turns to those who are first, as far as there are any; the lock is held."""
        for asked in tuple(self._waiting):
            if self._running.total() >= self.at_once:
                return
            if asked.kind != "long" or self._running["long"] < max(1, self.at_once - 1):
                self._waiting.remove(asked)
                self._running[asked.kind] += 1
                asked.come.set()


def _nobody(before: int | None) -> None:
    """Nobody is told."""
