"""Lessons that teachers add to their rooms; they are deleted with the room."""

import time
from typing import Any

from sqlalchemy import func, insert, select

from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError
from web.rooms.store.rooms import begin_change
from web.rooms.store.tables import Lesson
from web.rooms.store.tokens import new_lesson_name

MAX_LESSONS = 20
"""Lessons of one room."""


def add_lesson(database: Database, room: int, title: str, content: dict[str, Any]) -> str:
    """Store a lesson.

    Args:
        database: The database.
        room: Id of the room.
        title: Its title.
        content: Its tables, which the caller has checked.

    Returns:
        The name of the lesson.

    Raises:
        RoomError: ``ended``, or ``bad`` beyond MAX_LESSONS.
    """
    name = new_lesson_name()
    row = {"name": name, "title": title, "content": content, "room": room, "given": time.time()}
    with database.write_transaction() as connection:
        begin_change(connection, room)
        count = select(func.count()).select_from(Lesson).where(Lesson.room == room)
        if connection.execute(count).scalar_one() >= MAX_LESSONS:
            raise RoomError("bad", f"A room has at most {MAX_LESSONS} lessons of its own.")
        connection.execute(insert(Lesson).values(row))
    return name


def lesson_titles(database: Database, room: int) -> dict[str, str]:
    """Return the title of each lesson of a room by its name, the newest first."""
    query = select(Lesson.name, Lesson.title).where(Lesson.room == room).order_by(-Lesson.id)
    with database.single_query() as connection:
        return {each.name: each.title for each in connection.execute(query)}


def list_lessons(database: Database, room: int) -> list[dict[str, str]]:
    """Return ``name`` and ``title`` of the newest lesson with each title, the newest first.

    A corrected file replaces its older version in the list; students may still have that open.
    """
    names: dict[str, str] = {}
    for name, title in lesson_titles(database, room).items():
        names.setdefault(title, name)
    return [{"name": name, "title": title} for title, name in names.items()]


def stored_lesson(database: Database, name: str) -> dict[str, Any] | None:
    """Return the tables of a lesson of any room, or None."""
    with database.single_query() as connection:
        return connection.execute(select(Lesson.content).where(Lesson.name == name)).scalar()
