"""Number of connected students, over all server processes that share the database."""

import time

from sqlalchemy import Connection, delete, func, insert, select, update

from rooms.store.database import Database
from rooms.store.tables import Presence, Room

EXPIRY = 15
"""Seconds after which a report expires. A process reports three times in this time."""


def report_presence(database: Database, room: int, process: str, connected: int) -> None:
    """Store how many of a room's students are connected to a process."""
    now = time.time()
    own = (Presence.room == room) & (Presence.process == process)
    with database.write_transaction() as connection:
        # A deletion locks the room's row first, too: in another order both would wait for ever.
        known = select(Room.id).where(Room.id == room).with_for_update()
        if not connection.execute(known).first():
            return
        before = connection.execute(select(Presence.connected).where(own)).scalar()
        if before is None:
            row = {"room": room, "process": process, "connected": connected, "seen": now}
            connection.execute(insert(Presence).values(row))
        else:
            connection.execute(update(Presence).where(own).values(connected=connected, seen=now))
        expired = (Presence.room == room) & (Presence.seen < now - EXPIRY)
        connection.execute(delete(Presence).where(expired))
        if (before or 0) != connected:
            counted = update(Room).where(Room.id == room).values(changes=Room.changes + 1)
            connection.execute(counted)


def connected_elsewhere(connection: Connection, room: int, process: str) -> int:
    """Return how many students are connected to all processes but one."""
    others = (Presence.room == room) & (Presence.process != process)
    fresh = Presence.seen >= time.time() - EXPIRY
    query = select(func.coalesce(func.sum(Presence.connected), 0)).where(others, fresh)
    return connection.execute(query).scalar_one()
