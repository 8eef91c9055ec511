"""Listener for the changes of other processes.

PostgreSQL sends notifications. For SQLite, the listener polls the version of the file; this reads
one cached page.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from os.path import samestat
from pathlib import Path
from threading import Event
from typing import cast

import sqlalchemy.exc
from sqlalchemy import text

from rooms.store.database import Database
from rooms.store.rooms import CHANNEL

POLL_INTERVAL = 0.25
"""Seconds between two checks of SQLite's file, and between two checks of the stop event."""

RETRY_DELAY = 1.0
"""Seconds until the next attempt if the database is not available."""

OnChange = Callable[[int | None], None]
"""Called with the id of a room that may have changed; None for any room."""


def listen(database: Database, on_change: OnChange, stop: Event) -> None:
    """Report changes until the stop event is set; run it in its own thread."""
    wait_for_changes = _poll_file if database.on_sqlite else _receive_notifications
    while not stop.is_set():
        try:
            wait_for_changes(database, on_change, stop)
        except (sqlalchemy.exc.SQLAlchemyError, sqlite3.Error, OSError):
            stop.wait(RETRY_DELAY)


def _poll_file(database: Database, on_change: OnChange, stop: Event) -> None:
    file = cast("Path", database.file)
    # Without the mode, SQLite would create a file that was deleted.
    address, opened = f"{file.as_uri()}?mode=rw", file.stat()
    with closing(sqlite3.connect(address, uri=True, timeout=POLL_INTERVAL)) as connection:
        version = None
        while not stop.is_set():
            if not samestat(file.stat(), opened):
                raise OSError("The file was replaced.")
            newest = connection.execute("PRAGMA data_version").fetchone()
            if newest != version:
                version = newest
                on_change(None)
            stop.wait(POLL_INTERVAL)


def _receive_notifications(database: Database, on_change: OnChange, stop: Event) -> None:
    import psycopg

    engine = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.detach()  # it does not count toward the pool's size
        connection.execute(text(f"LISTEN {CHANNEL}"))
        on_change(None)  # changes before LISTEN sent no notification
        driver = cast("psycopg.Connection", connection.connection.dbapi_connection)
        try:
            while not stop.is_set():
                for notification in driver.notifies(timeout=POLL_INTERVAL):
                    on_change(int(notification.payload))
                    if stop.is_set():
                        break
        except psycopg.Error as error:
            raise OSError from error
