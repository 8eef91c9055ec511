"""How often one may try: codes cannot be guessed in bulk, nor rooms be opened without end.

A school is one address: what a class does at once must pass. Only wrong codes count, and whoever
holds a token is asked for no code.
"""

from ipaddress import IPv6Address, ip_address

from limits import RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

WRONG = RateLimitItemPerMinute(60)
"""Codes by one address: every fifth of 300 students may slip."""

ALL_WRONG = RateLimitItemPerMinute(300)
"""Codes by everybody: of a hundred million, less than half a million a day."""

OPENED = RateLimitItemPerHour(30)
"""Rooms by one address."""

ALL_OPENED = RateLimitItemPerDay(500)
"""Rooms by everybody."""


class Limits:
    """Counts of one server process, in its memory alone."""

    def __init__(self) -> None:
        self._counts = MovingWindowRateLimiter(MemoryStorage())

    def may_open(self, address: str) -> bool:
        """Count a room that is about to be opened, unless there are too many."""
        own = self._counts.hit(OPENED, "open", network(address))
        return own and self._counts.hit(ALL_OPENED, "open")

    def may_guess(self, address: str) -> bool:
        """Whether a code is looked up at all."""
        own = self._counts.test(WRONG, "wrong", network(address))
        return own and self._counts.test(ALL_WRONG, "wrong")

    def wrong(self, address: str) -> None:
        """Count a code that no room has."""
        self._counts.hit(WRONG, "wrong", network(address))
        self._counts.hit(ALL_WRONG, "wrong")


def network(address: str) -> str:
    """Whom an address stands for: of IPv6 everybody has a network of them."""
    try:
        number = ip_address(address)
    except ValueError:
        return address
    if isinstance(number, IPv6Address):
        return str(number.ipv4_mapped or int(number) >> 64)
    return str(number)
