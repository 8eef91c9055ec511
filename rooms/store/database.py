"""The database of all rooms: an SQLite file, or PostgreSQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from filelock import FileLock
from sqlalchemy import event, insert, inspect, select, text
from sqlalchemy.engine import URL, Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from rooms.store.errors import RoomError
from rooms.store.tables import VERSION, About, Base, Room

LOCK_TIMEOUT = 2  # seconds that a write waits for another one, which may be of a foreign program
CREATE_TIMEOUT = 10  # seconds that a process waits while another one creates the file
POOL_SIZE = 8  # connections of a process
OWNER_ONLY = 0o600  # mode of the files: only the server's account may read the rooms


class Database:
    """Transactions on the database of rooms. The first room that is opened creates the database.

    Args:
        where: The SQLite file, or a URL such as ``postgresql://name:password@machine/database``.

    Raises:
        RoomError: ``database`` for an invalid URL.
    """

    def __init__(self, where: Path | str) -> None:
        self.file = where if isinstance(where, Path) else None
        self.on_sqlite = self.file is not None
        self.engine = _create_engine(where)
        self._writing = self.engine.execution_options(begin="IMMEDIATE")
        # All queries of a transaction see the same moment. SQLite always does this.
        levels = {} if self.on_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reading = self.engine.execution_options(**levels)
        self._ready = False
        self._preparing = Lock()
        self._write_lock = Lock() if self.on_sqlite else nullcontext()

    @contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """Yield a connection for several queries; RoomError ``unknown`` without a database."""
        with _database_errors(self.file):
            self._prepare(create=False)
            with self._reading.begin() as connection:
                yield connection

    @contextmanager
    def write_transaction(self, *, create: bool = False) -> Iterator[Connection]:
        """Yield a connection whose changes are committed together at the end of the block."""
        with _database_errors(self.file):
            self._prepare(create=create)
            # SQLite's own lock is not fair: a thread that waits could starve.
            with self._write_lock, self._writing.begin() as connection:
                yield connection

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    def exists(self) -> bool:
        """Whether a room was ever opened in this database."""
        with _database_errors(self.file):
            return (not self.file or self.file.exists()) and inspect(self.engine).has_table(
                Room.__tablename__
            )

    def _prepare(self, *, create: bool) -> None:
        if self._ready:
            return
        with self._preparing:
            if not create and not self.exists():
                raise RoomError("unknown")
            if self.file and create:
                _create_file(self.file)
            with self._writing.begin() as connection:
                if not self.on_sqlite:  # two processes may create the tables at the same time
                    connection.execute(text("SELECT pg_advisory_xact_lock(4831)"))
                Base.metadata.create_all(connection)
                found = connection.execute(select(About.version)).scalar()
                if found is None:
                    connection.execute(insert(About).values(version=VERSION))
                elif found != VERSION:
                    raise RoomError(
                        "database",
                        f"{self.file or 'The database'} has rooms of version {found}; this "
                        f"Headlight reads version {VERSION}. Delete them, or set --data or "
                        "--database.",
                    )
            self._ready = True


def _create_engine(where: Path | str) -> Engine:
    pool: dict[str, Any] = {"pool_size": POOL_SIZE, "max_overflow": 0, "pool_timeout": LOCK_TIMEOUT}
    if isinstance(where, Path):
        url = URL.create("sqlite", database=str(where))
        engine = create_engine(url, connect_args={"timeout": LOCK_TIMEOUT}, **pool)
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        url = make_url(where)
    except ArgumentError as error:
        raise RoomError("database", "HEADLIGHT_DATABASE is no database's address") from error
    if url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise RoomError("database", "HEADLIGHT_DATABASE names no PostgreSQL database")
    try:
        return create_engine(url.set(drivername="postgresql+psycopg"), **pool)
    except ImportError as error:
        about = "PostgreSQL needs requirements-postgresql.txt installed"
        raise RoomError("database", about) from error


def _create_file(file: Path) -> None:
    """Create an empty database in WAL mode, in which reads do not wait for a write."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # SQLite refuses to change the mode of a file that another process has open. One process
    # therefore prepares it under another name.
    lock = file.with_name(f"{file.name}.lock")
    with FileLock(lock, timeout=CREATE_TIMEOUT, mode=OWNER_ONLY):
        if file.exists():
            return
        unfinished = file.with_name(f"{file.name}.new")
        unfinished.unlink(missing_ok=True)
        unfinished.touch(OWNER_ONLY)  # SQLite gives the same mode to its other files
        with closing(sqlite3.connect(unfinished)) as connection:
            connection.execute("PRAGMA auto_vacuum = FULL")  # before the first table
            connection.execute("PRAGMA journal_mode = WAL")
        unfinished.rename(file)


def _configure_sqlite(connection: Any, _record: object) -> None:
    # Python's driver begins a transaction at the first write; _begin_sqlite begins it explicitly.
    connection.isolation_level = None
    # A commit survives the end of the process. A power cut may lose the last commits.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later fails if another one writes in between.
    mode = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")


@contextmanager
def _database_errors(file: Path | None = None) -> Iterator[None]:
    """Turn every error of the driver or the file system into a RoomError.

    The messages of PostgreSQL contain values, so only the type of its error is stated.
    """
    try:
        yield
    except (DBAPIError, PoolTimeout, sqlite3.Error, OSError) as error:
        about = type(error).__name__
        if file:
            cause = error.orig if isinstance(error, DBAPIError) else error
            about = (
                f"{file} cannot be used ({cause}). Check that the server's account may write the "
                "file and its folder and that the disk has free space, or set another folder with "
                "--data."
            )
        raise RoomError("database", about) from error
