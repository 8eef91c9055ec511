"""Questions of a room: ask, answer once a round, stop, reveal, start another round, close."""

import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from rooms.store.database import Database
from rooms.store.errors import RoomError
from rooms.store.rooms import begin_change
from rooms.store.tables import Answer, Room, RoomQuestion

MAX_QUESTIONS = 300  # in one room
MAX_ROUNDS = 20  # of one question

ACTIONS: dict[str, dict[str, Any]] = {
    "stop": {"state": "stopped"},
    "reveal": {"state": "revealed"},
    "again": {"state": "open", "round": RoomQuestion.round + 1},
    "close": {},
}
"""The columns of the question that change by what the teacher does."""

MAX_ID = 2**31 - 1
"""The largest integer of the databases."""


def ask_question(database: Database, room: int, **columns: Any) -> int:
    """Make a question the current one and return its id; RoomError ``ended`` or ``full``."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        count = select(func.count()).select_from(RoomQuestion).where(RoomQuestion.room == room)
        if connection.execute(count).scalar_one() >= MAX_QUESTIONS:
            raise RoomError("full")
        new = insert(RoomQuestion).values(room=room, **columns).returning(RoomQuestion.id)
        question = connection.execute(new).scalar_one()
        connection.execute(update(Room).where(Room.id == room).values(question=question))
        return question


def store_answer(
    database: Database,
    room: int,
    question: int,
    student: int,
    *,
    round_: int,
    answer: Any,
    judged: Callable[..., Any],
) -> tuple[Any, bool]:
    """Store a student's answer, unless this round has one already.

    Args:
        judged: ``Question`` of ``model/questions.py``, which this package does not import.

    Returns:
        The stored answer, and whether it equals the given one.

    Raises:
        RoomError: ``ended``; ``closed`` if the round does not accept answers; ``bad`` for an
            invalid answer.
    """
    if not 0 < round_ <= MAX_ROUNDS or question > MAX_ID:
        raise RoomError("closed")
    key: dict[str, Any] = {"question": question, "round": round_, "student": student}
    with database.write_transaction() as connection:
        # A retry after a lost response succeeds even after the reveal.
        earlier = select(Answer.answer).filter_by(**key)
        stored = connection.execute(earlier).first()
        if stored is None:
            begin_change(connection, room)
            # Another request may have stored one while this one waited for the lock.
            stored = connection.execute(earlier).first()
        if stored is not None:
            return stored.answer, stored.answer == answer
        found = _current_question(connection, room, question)
        # The browser sends a selected answer when it hears of the stop; nothing is revealed yet.
        if found.state == "revealed" or found.round != round_:
            raise RoomError("closed")
        try:
            valid = judged(found.kind, found.items, {}).check(answer)
        except ValueError as error:
            raise RoomError("bad") from error
        connection.execute(insert(Answer).values(**key, answer=valid, given=time.time()))
        return valid, True


def lead(database: Database, room: int, question: int, action: str) -> None:
    """Change the state of the room's current question.

    Args:
        action: One of ACTIONS. ``stop`` ends the choosing: browsers send what is selected.
            ``reveal`` shows the right answer and the answers of the class. ``again`` starts another
            round; the answers of earlier ones stay stored. ``close`` removes the question.

    Raises:
        RoomError: ``ended``; ``closed`` for another question; ``full`` after MAX_ROUNDS.
    """
    with database.write_transaction() as connection:
        begin_change(connection, room)
        found = _current_question(connection, room, question)
        if action == "again" and found.round >= MAX_ROUNDS:
            raise RoomError("full")
        if action == "close":
            connection.execute(update(Room).where(Room.id == room).values(question=None))
        elif action != "stop" or found.state == "open":
            changed = update(RoomQuestion).where(RoomQuestion.id == question)
            connection.execute(changed.values(ACTIONS[action]))


def _current_question(connection: Connection, room: int, question: int) -> Row[Any]:
    """Return a question; RoomError ``closed`` if it is not the room's current one."""
    if question > MAX_ID:
        raise RoomError("closed")
    found = connection.execute(
        select(RoomQuestion.kind, RoomQuestion.items, RoomQuestion.state, RoomQuestion.round)
        .join(Room, Room.question == RoomQuestion.id)
        .where(Room.id == room, RoomQuestion.id == question)
    ).first()
    if found is None:
        raise RoomError("closed")
    return found
