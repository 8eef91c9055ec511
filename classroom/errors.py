"""Why a room does not do what it was asked to."""

from typing import Literal

Reason = Literal["unknown", "ended", "closed", "forbidden", "too_many", "bad", "database"]
"""In one word; what is said of it is the screen's business."""


class RoomError(Exception):
    """A room, or what keeps rooms, refused.

    Args:
        reason: Why.
        about: More of it in words, where there is more.
    """

    def __init__(self, reason: Reason, about: str = "") -> None:
        super().__init__(reason, about)
        self.reason = reason
        self.about = about
