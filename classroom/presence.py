"""How many students are there, over all server processes that share the database."""

import os
import socket
import time

import psutil
from sqlalchemy import Connection, delete, insert, select, update

from classroom.database import Database
from classroom.rooms import tell
from classroom.tables import Presence, Room

MOST = 100
"""Characters of a process's name."""

GONE = 15
"""Seconds of silence after which a process is gone: three times as long as it is silent."""


def say(database: Database, room: int, desk: str, connected: int) -> None:
    """Say how many of a room's students are connected to a desk, a name within this process."""
    now, process = time.time(), _process(desk)
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


def elsewhere(connection: Connection, room: int, desk: str) -> int:
    """How many students are connected to others than a desk of this process, as they last said."""
    others = (Presence.room == room) & (Presence.process != _process(desk))
    fresh = Presence.seen >= time.time() - GONE
    rows = connection.execute(select(Presence.process, Presence.connected).where(others, fresh))
    return sum(row.connected for row in rows if not _was_killed(row.process))


def _process(desk: str) -> str:
    return f"{desk}:{os.getpid()}:{socket.gethostname()}"[:MOST]


def _was_killed(process: str) -> bool:
    """Whether a process of this machine is no more; of another machine's it is not known yet."""
    _, number, machine = process.split(":", 2)
    return machine == socket.gethostname() and not psutil.pid_exists(int(number))
