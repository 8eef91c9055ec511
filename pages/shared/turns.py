"""Turns at something that few can do at once, in the order in which they were asked for."""

import threading
from collections import deque


class Turns:
    """As a semaphore, but fair: to be held in a ``with``.

    threading's own gives a turn to whoever asks while it is free. A thread that lets go and asks
    again at once, as one that writes token by token does, is then always first: those who were
    waiting have yet to wake up.
    """

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: deque[threading.Lock] = deque()
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """Wait for a turn."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            gate = threading.Lock()
            gate.acquire()
            self._waiting.append(gate)
        gate.acquire()  # until whoever has a turn hands it on

    def __exit__(self, *_: object) -> None:
        """Hand the turn to whoever has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


forward_passes = Turns(2)
"""Of the process, each on one thread (see warm.py): torch lets go of the interpreter meanwhile."""
