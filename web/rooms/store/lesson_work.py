"""A lesson in a room: its plan and pace, a pause, the students' work, names, and notes."""

import csv
import io
import time
from collections.abc import Collection
from typing import Any, Literal

from sqlalchemy import Row, insert, select, update

from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError
from web.rooms.store.results import BOM, escape_formulas
from web.rooms.store.room_lessons import lesson_titles
from web.rooms.store.rooms import begin_change, show_view
from web.rooms.store.snapshot import iso_time
from web.rooms.store.tables import Room, Student, Work

Outcome = Literal["seen", "again", "wrong", "revealed", "right"]

MAX_ANSWER = 80
"""Characters of an answer."""

MAX_NAME = 40
"""Characters of a student's name."""

MAX_TEXT = 300
"""Characters of a note, and of the message of a pause."""

MAX_STEPS = 100
"""A larger number of a step is refused."""

MAX_LESSONS = 40
"""Lessons of which a student's work is stored in one room."""

CSV_COLUMNS = (
    "lesson", "title", "step", "student", "name", "outcome", "answer", "tries", "link", "time",
)  # fmt: skip


def set_plan(
    database: Database, room: int, plan: dict[str, Any] | None, *, first: int, last: int
) -> None:
    """Start a lesson, change its open steps, or end it.

    The students stop to follow the teacher's view and work on the open steps. If one step is open,
    it becomes the view of the room, which the projector follows.

    Args:
        database: The database.
        room: Id of the room.
        plan: ``lesson``, ``title`` and ``views``, one for each step; None ends the lesson.
        first: The first open step, from 1.
        last: The last open step.

    Raises:
        RoomError: ``ended``, or ``bad`` for steps that the lesson does not have.
    """
    if plan is not None and not 1 <= first <= last <= len(plan["views"]):
        raise RoomError("bad")
    values = {"plan": plan, "first": first, "last": last} if plan else {"plan": None}
    with database.write_transaction() as connection:
        begin_change(connection, room)
        apart = {"apart": plan is not None}
        shown = show_view(plan["views"][first - 1]) if plan and first == last else {}
        connection.execute(update(Room).where(Room.id == room).values(values | apart | shown))


def set_pause(database: Database, room: int, message: str | None) -> None:
    """Pause every student's device with a message, or end the pause with None."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        connection.execute(update(Room).where(Room.id == room).values(paused=message))


def store_work(
    database: Database,
    room: int,
    student: int,
    *,
    lesson: str,
    step: int,
    answer: str,
    outcome: Outcome,
    view: str,
) -> None:
    """Store a student's answer to a step, or that the student has opened it.

    A repeated request changes nothing. Opening a step again does not replace its answer.

    Raises:
        RoomError: ``ended``; ``bad`` for a step that no lesson has; ``full`` of lessons.
    """
    if not 1 <= step <= MAX_STEPS:
        raise RoomError("bad")
    key = {"student": student, "lesson": lesson, "step": step}
    with database.write_transaction() as connection:
        begin_change(connection, room)
        found = connection.execute(select(Work).filter_by(**key)).first()
        seen = {"view": view, "given": time.time()}
        answered = {"answer": answer, "outcome": outcome}
        if found is None:
            lessons = select(Work.lesson).where(Work.student == student).distinct()
            known = connection.execute(lessons).scalars().all()
            if lesson not in known and len(known) >= MAX_LESSONS:
                raise RoomError("full")
            tries = int(outcome != "seen")
            row = {**key, **seen, **answered, "tries": tries, "room": room}
            connection.execute(insert(Work).values(row))
            return
        if outcome == "seen":
            changes = seen
        elif (found.answer, found.outcome) == (answer, outcome):
            changes = {"view": view}
        else:
            changes = {**seen, **answered, "tries": found.tries + 1}
        connection.execute(update(Work).where(Work.id == found.id).values(changes))


def set_name(database: Database, room: int, student: int, name: str) -> None:
    """Store the name that a student gives to the teacher; an empty one deletes it."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        connection.execute(update(Student).where(Student.id == student).values(name=name or None))


def send_note(database: Database, room: int, numbers: Collection[int], note: str) -> None:
    """Give the students with these numbers a note; an empty one deletes their note."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        joined = select(Student.id).where(Student.room == room).order_by(Student.id)
        students = connection.execute(joined).scalars().all()
        chosen = [student for number, student in enumerate(students, 1) if number in numbers]
        changed = update(Student).where(Student.id.in_(chosen))
        connection.execute(changed.values(note=note or None))


def load_work(database: Database, room: int) -> dict[str, Any]:
    """Return the students' work on the lesson of a room, for the teacher.

    Returns:
        ``students``, each with its number in the room from 1, ``name``, ``note``, the newest
        ``step`` and its ``view``, and ``work``: [answer, outcome, tries] by step.
    """
    plan, students, rows = _load(database, room)
    lesson = plan["lesson"] if plan else ""
    by_student: dict[int, list[Row[Any]]] = {student.id: [] for student in students}
    for row in rows:
        if row.lesson == lesson:
            by_student[row.student].append(row)
    found = []
    for number, student in enumerate(students, 1):
        own = by_student[student.id]
        newest = max(own, key=lambda row: row.given, default=None)
        found.append(
            {
                "number": number,
                "name": student.name,
                "note": student.note,
                "step": newest and newest.step,
                "view": newest and newest.view,
                "work": {row.step: [row.answer, row.outcome, row.tries] for row in own},
            }
        )
    return {"lesson": lesson, "students": found}


def work_csv(database: Database, room: int, site: str) -> str:
    """Return the students' work on all lessons of a room as CSV.

    Only a lesson that the teacher added has a title: its name is random.

    Args:
        database: The database.
        room: Id of the room.
        site: Address of this site, for the links to the views: ``https://example.org/``.
    """
    _, students, rows = _load(database, room)
    known = {student.id: (number, student.name) for number, student in enumerate(students, 1)}
    titles = lesson_titles(database, room)
    output = io.StringIO(BOM)
    output.seek(0, io.SEEK_END)
    writer = csv.writer(output)
    writer.writerow(CSV_COLUMNS)
    for row in rows:
        number, name = known[row.student]
        link = site.rstrip("/") + row.view if row.view else ""
        lesson = (row.lesson, titles.get(row.lesson, ""))
        fields = (*lesson, row.step, number, name or "", row.outcome, row.answer, row.tries)
        writer.writerow(escape_formulas((*fields, link, iso_time(row.given))))
    return output.getvalue()


def student_number(database: Database, room: int, student: int) -> int:
    """Return a student's number in the room, from 1, by the order of joining."""
    with database.single_query() as connection:
        before = select(Student.id).where(Student.room == room, Student.id <= student)
        return len(connection.execute(before).all())


def _load(
    database: Database, room: int
) -> tuple[dict[str, Any] | None, list[Row[Any]], list[Row[Any]]]:
    """Return the plan, the students in the order of joining, and their work."""
    with database.read_transaction() as connection:
        plan = connection.execute(select(Room.plan).where(Room.id == room)).scalar()
        columns = (Student.id, Student.name, Student.note)
        joined = select(*columns).where(Student.room == room).order_by(Student.id)
        students: list[Any] = list(connection.execute(joined).all())
        query = select(*Work.__table__.columns).where(Work.room == room)
        ordered = query.order_by(Work.lesson, Work.step, Work.student)
        return plan, students, list(connection.execute(ordered).all())
