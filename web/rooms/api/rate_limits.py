"""Rate limits on guessing join codes and on opening rooms.

A whole school may share one address, so a class must be able to join at the same time. Only wrong
codes count, and a member with a token sends no code.
"""

from ipaddress import IPv6Address, ip_address

from limits import RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

GUESSES = RateLimitItemPerMinute(60)
"""Wrong codes from one network: every fifth of 300 students may mistype."""

ALL_GUESSES = RateLimitItemPerMinute(300)
"""Wrong codes from all networks: at most 432,000 guesses a day, of 90 million codes."""

OPENED = RateLimitItemPerHour(30)
"""Rooms from one network."""

ALL_OPENED = RateLimitItemPerDay(500)
"""Rooms from all networks."""


class RateLimits:
    """Counters of one server process, in memory."""

    def __init__(self) -> None:
        self._counts = MovingWindowRateLimiter(MemoryStorage())

    def count_opening(self, address: str) -> bool:
        """Count a new room; return whether it is allowed."""
        own = self._counts.hit(OPENED, "open", network(address))
        return own and self._counts.hit(ALL_OPENED, "open")

    def may_guess(self, address: str) -> bool:
        """Whether a code may be looked up."""
        own = self._counts.test(GUESSES, "wrong", network(address))
        return own and self._counts.test(ALL_GUESSES, "wrong")

    def count_guess(self, address: str) -> None:
        """Count a wrong code."""
        self._counts.hit(GUESSES, "wrong", network(address))
        self._counts.hit(ALL_GUESSES, "wrong")


def network(address: str) -> str:
    """Return an IPv4 address, or the first half of an IPv6 address: a visitor has all the rest."""
    try:
        number = ip_address(address)
    except ValueError:
        return address
    if isinstance(number, IPv6Address):
        return str(number.ipv4_mapped or int(number) >> 64)
    return str(number)
