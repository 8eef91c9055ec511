"""Number of connected students, over all server processes that share the database."""

import os
import socket
import time

import psutil
from sqlalchemy import Connection, delete, insert, select, update

from web.rooms.store.database import Database
from web.rooms.store.rooms import notify_processes
from web.rooms.store.tables import Presence, Room

EXPIRY = 15
"""Seconds after which a report expires. A process reports three times in this time."""


def process_name(service: str) -> str:
    """Return the name of a service of this process: the service, the process id, the machine."""
    return f"{service}:{os.getpid()}:{socket.gethostname()}"[: Presence.process.type.length]


def report_presence(database: Database, room: int, service: str, connected: int) -> None:
    """Store how many of a room's students are connected to a service of this process."""
    now, process = time.time(), process_name(service)
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
            notify_processes(connection, room)


def connected_elsewhere(connection: Connection, room: int, service: str) -> int:
    """Return how many students are connected to all but one service of this process."""
    others = (Presence.room == room) & (Presence.process != process_name(service))
    fresh = Presence.seen >= time.time() - EXPIRY
    rows = connection.execute(select(Presence.process, Presence.connected).where(others, fresh))
    return sum(row.connected for row in rows if not _was_killed(row.process))


def _was_killed(process: str) -> bool:
    """Whether a process of this machine has ended. For another machine, only EXPIRY tells."""
    _, number, machine = process.split(":", 2)
    return machine == socket.gethostname() and not psutil.pid_exists(int(number))
