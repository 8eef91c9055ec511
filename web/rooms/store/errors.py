"""Errors of the room storage."""

from typing import Literal

Reason = Literal[
    "unknown", "ended", "shut", "closed", "forbidden", "too_many", "too_many_hour", "too_many_day",
    "full", "bad", "database",
]  # fmt: skip
"""Sent to the browser, which shows a sentence for it."""


class RoomError(Exception):
    """An operation on a room was refused, or its database failed.

    Args:
        reason: The kind of error.
        about: Details in words, if there are any.
    """

    def __init__(self, reason: Reason, about: str = "") -> None:
        super().__init__(reason, about)
        self.reason = reason
        self.about = about
