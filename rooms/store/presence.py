"""The connected students, over all server processes that share the database."""

import time
from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select, update

from rooms.store.database import Database
from rooms.store.tables import Presence, Room

EXPIRY = 15
"""Seconds after which a report expires. A process reports three times in this time."""


def report_presence(
    database: Database, room: int, process: str, connected: Collection[int]
) -> None:
    """Store which of a room's students are connected to a process."""
    now, students = time.time(), sorted(connected)
    own = (Presence.room == room) & (Presence.process == process)
    with database.write_transaction() as connection:
        # A deletion locks the room's row first, too: in another order both would wait for ever.
        known = select(Room.id).where(Room.id == room).with_for_update()
        if not connection.execute(known).first():
            return
        before = connection.execute(select(Presence.connected).where(own)).scalar()
        expired = (Presence.room == room) & (Presence.seen < now - EXPIRY)
        connection.execute(delete(Presence).where(own | expired))
        row = {"room": room, "process": process, "connected": students, "seen": now}
        connection.execute(insert(Presence).values(row))
        if (before or []) != students:
            counted = update(Room).where(Room.id == room).values(changes=Room.changes + 1)
            connection.execute(counted)


def connected_elsewhere(connection: Connection, room: int, process: str) -> frozenset[int]:
    """Return the ids of the students who are connected to other processes."""
    others = (Presence.room == room) & (Presence.process != process)
    fresh = Presence.seen >= time.time() - EXPIRY
    reports = connection.execute(select(Presence.connected).where(others, fresh)).scalars()
    return frozenset(student for report in reports for student in report)
