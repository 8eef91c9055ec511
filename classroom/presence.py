"""How many students are there, over all server processes that share the database."""

import time

from sqlalchemy import Connection, delete, func, insert, select, update

from classroom.database import Database
from classroom.rooms import tell
from classroom.tables import Presence, Room

GONE = 15
"""Seconds of silence after which a process is gone: three times as long as it is silent."""


def say(database: Database, room: int, process: str, connected: int) -> None:
    """Say how many of a room's students are connected to this process."""
    now = time.time()
    mine = (Presence.room == room) & (Presence.process == process)
    with database.writing() as connection:
        if not connection.execute(select(Room.id).where(Room.id == room)).first():
            return
        before = connection.execute(select(Presence.connected).where(mine)).scalar()
        if before is None:
            row = {"room": room, "process": process, "connected": connected, "seen": now}
            connection.execute(insert(Presence).values(row))
        else:
            connection.execute(update(Presence).where(mine).values(connected=connected, seen=now))
        connection.execute(delete(Presence).where(Presence.seen < now - GONE))
        if (before or 0) != connected:
            more = update(Room).where(Room.id == room).values(changes=Room.changes + 1)
            connection.execute(more)
            tell(connection, room)


def elsewhere(connection: Connection, room: int, process: str) -> int:
    """How many students are connected to other processes, as they last said."""
    others = (Presence.room == room) & (Presence.process != process)
    fresh = Presence.seen >= time.time() - GONE
    return (
        connection.execute(select(func.sum(Presence.connected)).where(others, fresh)).scalar() or 0
    )
