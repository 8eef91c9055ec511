"""Rooms: open, join, identify members, change, end, delete."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from rooms.store.database import Database
from rooms.store.errors import NotAdmittedError, RoomError
from rooms.store.tables import Room, Student

ROOM_LIFETIME = 86_400  # seconds until a room ends
RETENTION = 7 * 86_400  # seconds until an ended room is deleted with its results
MAX_STUDENTS = 1000  # in one room
MODES = ("follow", "free")
"""Students follow the teacher's view, or work on their own."""

CODE_DIGITS = 8
"""Digits can be read aloud in any language and typed on a phone's number pad. There are 9e7 codes:
60 guesses a minute, the limit of a network, find one of 100 open rooms in ten days. Its finder
joins as a student."""


class OpenedRoom(NamedTuple):
    """A new room. The teacher's token is stored as a hash only, so this is its only copy."""

    code: str
    teacher: str


class Member(NamedTuple):
    """The ids of a room and of a student: None for the teacher."""

    room: int
    student: int | None


def open_room(database: Database) -> OpenedRoom:
    """Open a room; create the database for the first one."""
    delete_expired(database)
    teacher = new_token()
    while True:
        code = new_join_code()
        ends = time.time() + ROOM_LIFETIME
        row = {"code": code, "teacher": hash_token(teacher), "ends": ends}
        try:
            with database.write_transaction(create=True) as connection:
                connection.execute(insert(Room).values(row))
        except RoomError as error:
            if not isinstance(error.__cause__, IntegrityError):
                raise
            continue  # the code is in use
        return OpenedRoom(code, teacher)


def join(database: Database, code: str) -> str:
    """Return a student's token, not stored yet; RoomError ``unknown``, ``ended`` or ``full``."""
    with database.read_transaction() as connection:
        room = connection.execute(select(Room).where(Room.code == code)).first()
        if room is None or room.ends <= time.time():
            raise RoomError("ended" if room else "unknown")
        _check_space(connection, room.id)
        return sign(new_token(), room.teacher)


def admit(database: Database, code: str, token: str) -> Member:
    """Store the student of a token that ``join`` returned; RoomError as there."""
    with database.write_transaction() as connection:
        room = connection.execute(select(Room.id).where(Room.code == code)).scalar()
        if room is None:
            raise RoomError("unknown")
        begin_change(connection, room)
        own = {"room": room, "token": hash_token(token)}
        student = connection.execute(select(Student.id).filter_by(**own)).scalar()
        if student is None:  # not another window of the same student
            _check_space(connection, room)
            new = insert(Student).values(own).returning(Student.id)
            student = connection.execute(new).scalar_one()
        return Member(room, student)


def _check_space(connection: Connection, room: int) -> None:
    if count_students(connection, room) >= MAX_STUDENTS:
        raise RoomError("full")


def count_students(connection: Connection, room: int) -> int:
    """Return how many students a room has."""
    count = select(func.count()).select_from(Student).where(Student.room == room)
    return connection.execute(count).scalar_one()


def find_member(database: Database, code: str, token: str) -> Member:
    """Return a token's member; RoomError ``unknown`` without the room, else ``forbidden``.

    NotAdmittedError for a student who has not opened a socket.
    """
    hashed = hash_token(token)
    query = (
        select(Room.id, Room.teacher, Student.id.label("student"))
        .outerjoin(Student, (Student.room == Room.id) & (Student.token == hashed))
        .where(Room.code == code)
    )
    with database.read_transaction() as connection:
        found = connection.execute(query).first()
    if found is None:
        raise RoomError("unknown")
    if found.student is None and found.teacher != hashed:
        joined = hashed == hash_token(sign(token.partition(".")[0], found.teacher))
        raise (NotAdmittedError if joined else RoomError)("forbidden")
    return Member(found.id, found.student)


def update_room(database: Database, room: int, values: Mapping[str, Any]) -> None:
    """Change columns of an open room; RoomError ``ended`` if it has ended."""
    with database.write_transaction() as connection:
        begin_change(connection, room, **values)


def show_view(view: str) -> dict[str, Any]:
    """Return the changes of the row of a room whose view is ``view`` now."""
    return {"view": view, "view_change": Room.view_change + 1}


def end_room(database: Database, room: int) -> None:
    """End a room; its results stay readable until it is deleted."""
    update_room(database, room, {"ends": time.time()})


def delete_room(database: Database, room: int) -> None:
    """Delete a room now, with all its data; its code becomes unknown."""
    with database.write_transaction() as connection:
        connection.execute(delete(Room).where(Room.id == room))


def delete_expired(database: Database) -> None:
    """Delete the rooms that ended more than RETENTION seconds ago, with all their data."""
    if database.exists():
        with database.write_transaction() as connection:
            connection.execute(delete(Room).where(Room.ends < time.time() - RETENTION))


def begin_change(connection: Connection, room: int, **values: Any) -> None:
    """Lock a room, change columns of it, and count the change, which other processes read.

    The row stays locked until the transaction ends, so no answer is stored during a reveal.
    RoomError ``ended`` if the room has ended.
    """
    is_open = (Room.id == room, Room.ends > time.time())
    change = update(Room).where(*is_open).values(changes=Room.changes + 1, **values)
    if not connection.execute(change).rowcount:
        raise RoomError("ended")


def new_join_code() -> str:
    """Return a random code without a leading zero, which spreadsheets remove."""
    smallest = 10 ** (CODE_DIGITS - 1)
    return str(smallest + secrets.randbelow(9 * smallest))


def new_token() -> str:
    """Return a random session token."""
    return secrets.token_urlsafe(24)


def sign(nonce: str, secret: bytes) -> str:
    """Return a student's token, which the room's secret verifies before the student is stored."""
    signature = hmac.new(secret, nonce.encode(errors="surrogatepass"), "sha256")
    return f"{nonce}.{signature.hexdigest()}"


def hash_token(token: str) -> bytes:
    """Return the hash of a token. A token is random, so the hash needs no salt."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
