"""Rooms: opened, joined, led, ended, deleted."""

import time
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from classroom.database import Database
from classroom.errors import RoomError
from classroom.secret import digest, new_code, new_token
from classroom.tables import Room, Student

DAY = 86_400
LASTS = DAY
"""Seconds that a room is open for."""

KEPT = 7 * DAY
"""Seconds that a room's results are kept after its end; then all of it is deleted."""

MOST_STUDENTS = 1000
"""In one room."""

CHANNEL = "headlight_rooms"
"""On which PostgreSQL tells other processes the id of a room that has changed."""


@dataclass(frozen=True)
class Opened:
    """A new room, with the one thing that nobody can be told again: the teacher's token."""

    code: str
    teacher: str
    ends: float


@dataclass(frozen=True)
class Person:
    """Whoever holds a token of a room.

    Attributes:
        student: Their number in the database; None: the teacher.
    """

    room: int
    student: int | None


def open_room(database: Database) -> Opened:
    """Open a room; the first one makes the database."""
    delete_old(database)
    teacher, ends = new_token(), time.time() + LASTS
    while True:
        code = new_code()
        row = {"code": code, "teacher": digest(teacher), "ends": ends}
        try:
            with database.writing(make=True) as connection:
                connection.execute(insert(Room).values(row))
        except RoomError as refused:
            if not isinstance(refused.__cause__, IntegrityError):
                raise
            continue  # of a hundred million codes, one that is taken
        return Opened(code, teacher, ends)


def join(database: Database, code: str) -> str:
    """Take part in a room.

    Returns:
        A student's token.

    Raises:
        RoomError: ``unknown``, ``ended``, or ``too_many`` are there.
    """
    with database.writing() as connection:
        found = connection.execute(select(*Room.__table__.columns).where(Room.code == code)).first()
        if found is None:
            raise RoomError("unknown")
        if found.ended or found.ends <= time.time():
            raise RoomError("ended")
        count = select(func.count()).select_from(Student).where(Student.room == found.id)
        if connection.execute(count).scalar_one() >= MOST_STUDENTS:
            raise RoomError("too_many")
        token = new_token()
        connection.execute(insert(Student).values(room=found.id, token=digest(token)))
        return token


def who(database: Database, code: str, token: str) -> Person:
    """Whose token it is.

    Raises:
        RoomError: ``unknown`` room, or ``forbidden``: it is nobody's there.
    """
    hashed = digest(token)
    asked = (
        select(Room.id, Room.teacher, Student.id.label("student"))
        .outerjoin(Student, (Student.room == Room.id) & (Student.token == hashed))
        .where(Room.code == code)
    )
    with database.glancing() as connection:
        found = connection.execute(asked).first()
    if found is None:
        raise RoomError("unknown")
    if found.teacher != hashed and found.student is None:
        raise RoomError("forbidden")
    return Person(found.id, None if found.teacher == hashed else found.student)


def show(database: Database, room: int, view: str) -> None:
    """Let a room's screens follow to an address of this site."""
    with database.writing() as connection:
        now_changing(connection, room)
        values = {"view": view, "view_change": Room.view_change + 1}
        connection.execute(update(Room).where(Room.id == room).values(values))


def lock(database: Database, room: int, locked: bool) -> None:
    """Keep everybody at the teacher's view, or let them go again."""
    with database.writing() as connection:
        now_changing(connection, room)
        connection.execute(update(Room).where(Room.id == room).values(locked=locked))


def end(database: Database, room: int) -> None:
    """End a room; its results can be read for a while."""
    with database.writing() as connection:
        now_changing(connection, room)
        values = {"ended": True, "ends": time.time()}
        connection.execute(update(Room).where(Room.id == room).values(values))


def delete_old(database: Database) -> None:
    """Delete the rooms that ended long enough ago, with all that was in them."""
    if database.exists():
        with database.writing() as connection:
            connection.execute(delete(Room).where(Room.ends < time.time() - KEPT))


def now_changing(connection: Connection, room: int) -> None:
    """Begin a change of what a room's screens show: one at a time, and other processes are told.

    The room's row is held until the change is kept, so that no answer comes in beside a reveal.

    Raises:
        RoomError: ``ended``.
    """
    change = update(Room).where(Room.id == room, ~Room.ended, Room.ends > time.time())
    changed = connection.execute(change.values(changes=Room.changes + 1))
    if not changed.rowcount:
        raise RoomError("ended")
    tell(connection, room)


def tell(connection: Connection, room: int) -> None:
    """Tell other processes of a change, once it is kept. On SQLite they see it in the file."""
    if connection.dialect.name == "postgresql":
        told = text("SELECT pg_notify(:channel, :room)")
        connection.execute(told, {"channel": CHANNEL, "room": str(room)})
