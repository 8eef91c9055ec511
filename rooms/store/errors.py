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


UNUSABLE = (
    "{file} cannot be used ({cause}). Check that the server's account may write the file and its "
    "folder and that the disk has free space, or set another folder with --data."
)
