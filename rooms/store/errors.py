"""Errors of the room storage."""

from typing import Literal

Reason = Literal["unknown", "ended", "closed", "forbidden", "too_many", "full", "bad", "database"]
"""Sent to the browser, which shows a sentence for it."""


class RoomError(Exception):
    """An operation on a room was refused, or its database failed; ``about`` has details."""

    def __init__(self, reason: Reason, about: str = "") -> None:
        super().__init__(reason, about)
        self.reason = reason
        self.about = about


class NotAdmittedError(RoomError):
    """A student has joined, but has not opened a socket; until then nothing is stored of them."""
