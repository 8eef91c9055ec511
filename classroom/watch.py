"""What other processes change, heard of without asking for every room.

PostgreSQL tells it. SQLite has nobody who could: its file says that something changed, at the cost
of a look at a page that is in memory.
"""

import sqlite3
from collections.abc import Callable
from threading import Event
from typing import cast

import sqlalchemy.exc
from sqlalchemy import text

from classroom.database import Database
from classroom.rooms import CHANNEL

EVERY = 0.25
"""Seconds between two looks: at SQLite's file, and whether to stop."""

AGAIN = 1.0
"""Seconds before another attempt, where the database is not to be reached."""


def watch(database: Database, told: Callable[[int | None], None], stop: Event) -> None:
    """Tell of changes until asked to stop; takes a thread of its own.

    Args:
        database: Where rooms are kept.
        told: Called with the id of a room that may have changed; None: any may have.
        stop: Set to end it, at the next look.
    """
    look = _look_at_file if database.on_sqlite else _listen
    while not stop.is_set():
        try:
            look(database, told, stop)
        except (sqlalchemy.exc.SQLAlchemyError, sqlite3.Error, OSError):
            stop.wait(AGAIN)


def _look_at_file(database: Database, told: Callable[[int | None], None], stop: Event) -> None:
    connection = sqlite3.connect(str(database.file), timeout=EVERY)
    try:
        version = None
        while not stop.is_set():
            now = connection.execute("PRAGMA data_version").fetchone()
            if now != version:
                version = now
                told(None)
            stop.wait(EVERY)
    finally:
        connection.close()


def _listen(database: Database, told: Callable[[int | None], None], stop: Event) -> None:
    import psycopg

    once = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    with once.connect() as connection:
        connection.detach()  # not one of those that others wait for
        connection.execute(text(f"LISTEN {CHANNEL}"))
        told(None)  # what came while nobody listened
        line = cast("psycopg.Connection", connection.connection.dbapi_connection)
        try:
            while not stop.is_set():
                for note in line.notifies(timeout=EVERY):
                    told(int(note.payload))
                    if stop.is_set():
                        break
        except psycopg.Error as lost:
            raise OSError from lost
