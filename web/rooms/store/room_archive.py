"""Everything that is stored of a room, except the keys, in one ZIP file for its teacher."""

import io
import json
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import Row, select

from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError
from web.rooms.store.lesson_work import work_csv
from web.rooms.store.results import results_csv
from web.rooms.store.snapshot import iso_time
from web.rooms.store.tables import Answer, Collected, Lesson, Question, Room, Student, Work

LEFT_OUT = {
    Room: ("id", "teacher"),
    Student: ("id", "room", "token"),
    Lesson: ("id", "room"),
    Work: ("id", "room"),
    Question: ("room",),
    Answer: ("id",),
    Collected: ("id", "room"),
}
"""Columns that room.json does not contain: hashes of tokens, and ids of rows."""


def room_archive(database: Database, room: int, site: str) -> bytes:
    """Return a ZIP file with ``results.csv``, ``lesson.csv`` and ``room.json``.

    Args:
        database: The database.
        room: Id of the room.
        site: Address of this site, for the links to the views: ``https://example.org/``.

    Raises:
        RoomError: ``unknown`` if the room was deleted.
    """
    stored = json.dumps(stored_data(database, room), ensure_ascii=False, indent=1)
    output = io.BytesIO()
    with ZipFile(output, "w", ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", results_csv(database, room, site))
        archive.writestr("lesson.csv", work_csv(database, room, site))
        archive.writestr("room.json", stored)
    return output.getvalue()


def stored_data(database: Database, room: int) -> dict[str, Any]:
    """Return the columns of a room and of its students, lessons, work, questions, answers and list.

    A student is a number, from 1, by the order of joining. Times are in ISO 8601.

    Raises:
        RoomError: ``unknown`` if the room was deleted.
    """
    with database.read_transaction() as connection:

        def rows(table: type[Any], *where: Any) -> list[Row[Any]]:
            query = select(*table.__table__.columns).where(*where).order_by(table.id)
            return list(connection.execute(query))

        own = rows(Room, Room.id == room)
        if not own:
            raise RoomError("unknown")
        students = rows(Student, Student.room == room)
        lessons = rows(Lesson, Lesson.room == room)
        work = rows(Work, Work.room == room)
        questions = rows(Question, Question.room == room)
        of_room = select(Question.id).where(Question.room == room)
        answers = rows(Answer, Answer.question.in_(of_room))
        collected = rows(Collected, Collected.room == room)
    numbers = {row.id: number for number, row in enumerate(students, 1)}
    return {
        "room": _fields(Room, own[0], numbers),
        "students": [
            {"number": numbers[row.id], **_fields(Student, row, numbers)} for row in students
        ],
        "lessons": [_fields(Lesson, row, numbers) for row in lessons],
        "work": [_fields(Work, row, numbers) for row in work],
        "questions": [_fields(Question, row, numbers) for row in questions],
        "answers": [_fields(Answer, row, numbers) for row in answers],
        "collected": [_fields(Collected, row, numbers) for row in collected],
    }


def _fields(table: type[Any], row: Row[Any], numbers: dict[int, int]) -> dict[str, Any]:
    """Return the columns of a row by name, in the form of room.json."""
    found = {name: value for name, value in row._mapping.items() if name not in LEFT_OUT[table]}
    for name in found.keys() & {"ends", "given"}:
        found[name] = iso_time(found[name])
    if found.get("student") is not None:
        found["student"] = numbers[found["student"]]
    return found
