"""Questions: asked, answered once a round, revealed, asked again, put away."""

import time
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from classroom.database import Database
from classroom.errors import RoomError
from classroom.kinds import checked
from classroom.rooms import now_changing
from classroom.tables import Answer, Question, Room

MOST_QUESTIONS = 300
"""In one room."""

MOST_ROUNDS = 20
"""Of one question."""

MOST = 2**31 - 1
"""That a database numbers anything with."""


def ask(
    database: Database,
    room: int,
    *,
    kind: str,
    prompt: str,
    view: str | None,
    items: dict[str, Any],
    truth: dict[str, Any],
) -> int:
    """Ask a question: it takes the place of the one before.

    Returns:
        Its number.

    Raises:
        RoomError: ``ended``, or ``too_many`` were asked.
    """
    with database.writing() as connection:
        now_changing(connection, room)
        count = select(func.count()).select_from(Question).where(Question.room == room)
        if connection.execute(count).scalar_one() >= MOST_QUESTIONS:
            raise RoomError("too_many")
        row = {"room": room, "kind": kind, "prompt": prompt, "view": view}
        asked = insert(Question).values(**row, items=items, truth=truth).returning(Question.id)
        number = connection.execute(asked).scalar_one()
        _put(connection, room, number)
        return number


def answer(
    database: Database, room: int, question: int, student: int, *, round_: int, given: Any
) -> tuple[Any, bool]:
    """Keep a student's answer, unless the round has one of theirs.

    Returns:
        The answer that is kept, and whether it is the one given now.

    Raises:
        RoomError: ``ended``; ``closed``: revealed, put away or of another round; ``bad``: no answer
            to this question.
    """
    if not 0 < round_ <= MOST_ROUNDS or question > MOST:
        raise RoomError("closed")
    with database.writing() as connection:
        mine = (
            Answer.question == question,
            Answer.round == round_,
            Answer.student == student,
        )
        # Sent twice because the first reply was lost: kept is kept, even after the reveal.
        kept = connection.execute(select(Answer.answer).where(*mine)).first()
        if kept is not None:
            return kept.answer, kept.answer == given
        now_changing(connection, room)
        # A second one of theirs may have been kept while this one waited for its turn.
        kept = connection.execute(select(Answer.answer).where(*mine)).first()
        if kept is not None:
            return kept.answer, kept.answer == given
        found = _current(connection, room, question)
        if found.revealed or found.round != round_:
            raise RoomError("closed")
        value = checked(found.kind, found.items, given)
        row = {"question": question, "round": round_, "student": student}
        connection.execute(insert(Answer).values(**row, answer=value, given=time.time()))
        return value, True


def reveal(database: Database, room: int, question: int) -> None:
    """Show everybody what is true and what the class said; no more answers."""
    _change(database, room, question, {"revealed": True})


def again(database: Database, room: int, question: int) -> None:
    """Ask the same once more; the answers of earlier rounds are kept."""
    _change(database, room, question, {"revealed": False, "round": Question.round + 1})


def close(database: Database, room: int, question: int) -> None:
    """Take a question off all screens."""
    with database.writing() as connection:
        now_changing(connection, room)
        _current(connection, room, question)
        _put(connection, room, None)


def _change(database: Database, room: int, question: int, values: dict[str, Any]) -> None:
    with database.writing() as connection:
        now_changing(connection, room)
        found = _current(connection, room, question)
        if "round" in values and found.round >= MOST_ROUNDS:
            raise RoomError("too_many")
        connection.execute(update(Question).where(Question.id == question).values(values))


def _current(connection: Connection, room: int, question: int) -> Row[Any]:
    """The question, if it is on the room's screens."""
    if question > MOST:
        raise RoomError("closed")
    found = connection.execute(
        select(Question.kind, Question.items, Question.revealed, Question.round)
        .join(Room, Room.question == Question.id)
        .where(Room.id == room, Question.id == question)
    ).first()
    if found is None:
        raise RoomError("closed")
    return found


def _put(connection: Connection, room: int, question: int | None) -> None:
    connection.execute(update(Room).where(Room.id == room).values(question=question))
