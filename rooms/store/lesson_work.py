"""A lesson in a room: its open steps, and the students' first answers to them."""

import time
from typing import Any

from sqlalchemy import Connection, func, insert, select

from rooms.store.database import Database
from rooms.store.errors import RoomError
from rooms.store.rooms import begin_change, show_view, update_room
from rooms.store.tables import Work

MAX_ANSWER = 80  # characters of an answer
MAX_STEPS = 100  # a larger number of a step is refused
MAX_ANSWERS = 400  # of one student: several times the whole course


def set_plan(database: Database, room: int, plan: dict[str, Any] | None, step: int | None) -> None:
    """Start a lesson, change its open step, or end it.

    During a lesson the students work on their own. If one step is open, it becomes the view of the
    room, which the projector follows.

    Args:
        plan: ``lesson``, ``title`` and ``views``, one for each step; None ends the lesson.
        step: From 1; None opens all steps.

    Raises:
        RoomError: ``ended``, or ``bad`` for a step that the lesson does not have.
    """
    if plan and step is not None and not 1 <= step <= len(plan["views"]):
        raise RoomError("bad")
    values = {"plan": plan, "step": step, "mode": "free" if plan else "follow"}
    shown = show_view(plan["views"][step - 1]) if plan and step else {}
    update_room(database, room, values | shown)


def store_work(
    database: Database, room: int, student: int, *, lesson: str, step: int, **given: Any
) -> None:
    """Store a student's ``answer`` to a step, and whether it is ``right``, unless there is one.

    Raises:
        RoomError: ``ended``; ``bad`` for a step that no lesson has; ``full`` above MAX_ANSWERS.
    """
    if not 1 <= step <= MAX_STEPS:
        raise RoomError("bad")
    with database.write_transaction() as connection:
        begin_change(connection, room)
        rows = select(Work.lesson, Work.step).where(Work.student == student)
        known = [tuple(row) for row in connection.execute(rows)]
        if (lesson, step) in known:
            return
        if len(known) >= MAX_ANSWERS:
            raise RoomError("full")
        row = {"student": student, "lesson": lesson, "step": step, "given": time.time(), **given}
        connection.execute(insert(Work).values(room=room, **row))


def tally_steps(connection: Connection, room: int, plan: dict[str, Any]) -> list[dict[str, int]]:
    """Count the first answers to each step of a lesson: ``step``, ``answered`` and ``right``."""
    query = (
        select(Work.step, Work.right, func.count())
        .where(Work.room == room, Work.lesson == plan["lesson"])
        .group_by(Work.step, Work.right)
    )
    steps = range(1, len(plan["views"]) + 1)
    tallies = {step: {"step": step, "answered": 0, "right": 0} for step in steps}
    for step, is_right, count in connection.execute(query):
        if tally := tallies.get(step):
            tally["answered"] += count
            tally["right"] += count * is_right
    return [*tallies.values()]
