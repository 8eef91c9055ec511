"""One database for all rooms: SQLite in a file, or PostgreSQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from filelock import FileLock
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree

from classroom.errors import RoomError
from classroom.tables import VERSION, About, Base, Room

BUSY = 10
"""Seconds that a connection waits for another's write."""

CONNECTIONS = 4
"""That a process has at most, besides the one that listens."""


class Database:
    """Where rooms are kept; nothing is made before the first of them is opened.

    Args:
        where: SQLite's file, or an address as ``postgresql://name:password@machine/database``.

    Raises:
        RoomError: ``database``, where the address is none.
    """

    def __init__(self, where: Path | str) -> None:
        self.file = where if isinstance(where, Path) else None
        self.on_sqlite = self.file is not None
        self.engine = _engine(_url(where), self.on_sqlite)
        self._writing = self.engine.execution_options(begin="IMMEDIATE")
        # All that one looks at is of one moment, as SQLite has it anyway.
        self._reading = self._as("REPEATABLE READ")
        self._glancing = self._as("AUTOCOMMIT", begin=None)
        self._ready = False
        self._making = Lock()
        self._turn = Lock() if self.on_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to look with; RoomError ``unknown`` where no room was ever opened."""
        with _in_one_word():
            self._make_ready(make=False)
            with self._reading.begin() as connection:
                yield connection

    @contextmanager
    def glancing(self) -> Iterator[Connection]:
        """A connection for one question: no transaction is begun and ended around it."""
        with _in_one_word():
            self._make_ready(make=False)
            with self._glancing.connect() as connection:
                yield connection

    @contextmanager
    def writing(self, *, make: bool = False) -> Iterator[Connection]:
        """A connection whose changes are all kept at the end of the block, or none.

        Args:
            make: The database and its tables too, where there are none.
        """
        with _in_one_word():
            self._make_ready(make=make)
            # Who waits for SQLite's own lock sleeps ever longer, and may be overtaken for ever.
            with self._turn, self._writing.begin() as connection:
                yield connection

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()

    def exists(self) -> bool:
        """Whether a room was ever opened in it."""
        with _in_one_word():
            return (not self.file or self.file.exists()) and inspect(self.engine).has_table(
                Room.__tablename__
            )

    def _as(self, level: str, **options: Any) -> Engine:
        levels = {} if self.on_sqlite else {"isolation_level": level}
        return self.engine.execution_options(**levels, **options)

    def _make_ready(self, *, make: bool) -> None:
        if self._ready:
            return
        with self._making:
            if not make and not self.exists():
                raise RoomError("unknown")
            if self.file and make:
                _make_file(self.file)
            with self._writing.begin() as connection:
                if not self.on_sqlite:  # two processes may begin at once
                    connection.execute(text("SELECT pg_advisory_xact_lock(4831)"))
                Base.metadata.create_all(connection)
                found = connection.execute(select(About.version)).scalar()
                if found is None:
                    connection.execute(insert(About).values(version=VERSION))
                elif found != VERSION:
                    raise RoomError(
                        "database",
                        f"The rooms' tables are of version {found}, and this Headlight reads "
                        f"version {VERSION}: name another folder or database, or delete this one.",
                    )
            self._ready = True


def _url(where: Path | str) -> URL:
    if isinstance(where, Path):
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
    except ArgumentError as none:
        raise RoomError("database", "HEADLIGHT_DATABASE is no database's address") from none
    if url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise RoomError("database", "HEADLIGHT_DATABASE names no PostgreSQL database")
    return url.set(drivername="postgresql+psycopg")


def _engine(url: URL, on_sqlite: bool) -> Engine:
    sizes: dict[str, Any] = {"pool_size": CONNECTIONS, "max_overflow": 0, "pool_timeout": BUSY}
    try:
        if not on_sqlite:
            return create_engine(url, **sizes)
        engine = create_engine(url, connect_args={"timeout": BUSY}, **sizes)
    except ImportError as missing:
        about = "PostgreSQL needs requirements-postgresql.txt installed"
        raise RoomError("database", about) from missing
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _make_file(file: Path) -> None:
    """An empty database that takes readers beside its writer, where there is no file yet."""
    # Rooms are nobody's business but the server's.
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Who turns a file that others have open to WAL is not made to wait but refused: it is made
    # under another name, and by one process.
    with FileLock(file.with_name(f"{file.name}.lock"), timeout=BUSY):
        if file.exists():
            return
        begun = file.with_name(f"{file.name}.new")
        begun.unlink(missing_ok=True)
        with closing(sqlite3.connect(begun)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        begun.rename(file)


def _set_up(connection: Any, _record: object) -> None:
    # Python's own way begins transactions late, as readers; ours begin where we say.
    connection.isolation_level = None
    # What was written survives the process; of a power cut the last moment may be lost.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    # A reader that turns writer finds the database locked; who is about to write says so at once.
    how = connection.get_execution_options().get("begin", "DEFERRED")
    if how:
        connection.exec_driver_sql(f"BEGIN {how}")


@contextmanager
def _in_one_word() -> Iterator[None]:
    """What can go wrong between here and the disk, as a RoomError."""
    try:
        yield
    except (DBAPIError, NoneFree, sqlite3.Error, OSError) as failed:
        raise RoomError("database", type(failed).__name__) from failed
