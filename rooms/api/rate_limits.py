"""Rate limits on guessing join codes, on opening and joining rooms, and on answers.

A school may share one address, so 400 students must be able to join and to answer within a minute.
"""

from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from rooms.store.errors import RoomError
from web.settings import network

GUESSES = RateLimitItemPerMinute(60)
"""Wrong codes from one network: every fifth of 300 students may mistype. There is no limit for all
networks together, with which a few could keep everybody out. See CODE_DIGITS in store/rooms.py.
"""

OPENED = RateLimitItemPerHour(30)  # rooms from one network
ALL_OPENED = RateLimitItemPerDay(500)  # rooms from all networks
JOINED = RateLimitItemPerMinute(500)  # new students from one network
JOINED_ROOM = RateLimitItemPerDay(800)
"""New students of one room from one network: fewer than a room admits, so that others can join."""

ANSWERED = RateLimitItemPerMinute(3_000)
"""Answers and steps of a lesson from one network: 300 students, ten times a minute each."""

ANSWERED_STUDENT = RateLimitItemPerMinute(60)  # of one student; a browser sends the rest later


class RateLimits:
    """Counters of one server process, in memory."""

    def __init__(self) -> None:
        self._counts = MovingWindowRateLimiter(MemoryStorage())

    def count_opening(self, address: str) -> None:
        """Count a new room; RoomError ``too_many`` above the limit."""
        self._count(OPENED, "open", network(address))
        self._count(ALL_OPENED, "open")

    def count_student(self, code: str, address: str) -> None:
        """Count a new student; RoomError ``too_many`` above the limit, without counting."""
        own = network(address)
        if not self._counts.test(JOINED_ROOM, "join", code, own):
            raise RoomError("too_many")
        self._count(JOINED, "join", own)
        self._count(JOINED_ROOM, "join", code, own)

    def count_answer(self, address: str, student: int) -> None:
        """Count an answer; RoomError ``too_many`` above the limit."""
        self._count(ANSWERED_STUDENT, "student", str(student))
        self._count(ANSWERED, "answer", network(address))

    def may_guess(self, address: str) -> bool:
        """Whether a code may be looked up."""
        return self._counts.test(GUESSES, "wrong", network(address))

    def count_guess(self, address: str) -> None:
        """Count a wrong code."""
        self._counts.hit(GUESSES, "wrong", network(address))

    def _count(self, limit: RateLimitItem, *key: str) -> None:
        if not self._counts.hit(limit, *key):
            raise RoomError("too_many")
