"""The state of a room at one moment, as the teacher and as a student may see it."""

import json
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from rooms.store.database import Database
from rooms.store.lesson_work import tally_steps
from rooms.store.rooms import count_students
from rooms.store.tables import Answer, Room, RoomQuestion

AnswerTally = list[list[Any]]  # pairs of an answer and the number of students who gave it

SHOWN = ("id", "kind", "round", "state", "prompt", "view", "items")
"""Columns of a question that every browser shows."""


@dataclass(frozen=True)
class Snapshot:
    """A room at one moment.

    Attributes:
        version: The room's count of changes.
        ends: Seconds since 1970.
        students: How many have joined.
        room: Fields for every browser, like ``question``; ``truth`` is hidden until the reveal.
        answers: Of the current round, by student id, like ``tally``.
        work: Of ``tally_steps``; None without a lesson.
    """

    version: int
    ends: float
    students: int
    room: dict[str, Any]
    question: dict[str, Any] | None = None
    truth: dict[str, Any] = field(default_factory=dict)
    answers: dict[int, Any] = field(default_factory=dict)
    tally: AnswerTally = field(default_factory=list)
    earlier: list[AnswerTally] = field(default_factory=list)
    work: list[dict[str, Any]] | None = None

    def is_outdated(self) -> bool:
        """Whether the room's time has run out since this snapshot."""
        return not self.room["ended"] and self.ends <= time.time()

    def for_teacher(self) -> dict[str, Any]:
        """Return the state for the teacher: the tallies, and the truth after the reveal."""
        question = self.question and {
            **self.question,
            "n_answers": len(self.answers),
            "tally": self.tally,
            "earlier": self.earlier,
            **({"truth": self.truth} if self.question["state"] == "revealed" else {}),
        }
        fields = {"students": self.students, "question": question, "work": self.work}
        return {**self.room, "role": "teacher", **fields}

    def for_student(self, student: int) -> dict[str, Any]:
        """Return the state for a student: their answer, and everything after the reveal."""
        hidden = {"truth": self.truth, "tally": self.tally, "earlier": self.earlier}
        question = self.question and {
            **self.question,
            "answered": self.answers.get(student),
            **(hidden if self.question["state"] == "revealed" else {}),
        }
        return {**self.room, "role": "student", "question": question}


def load_version(database: Database, room: int) -> int | None:
    """Return a room's count of changes; None if the room was deleted."""
    with database.read_transaction() as connection:
        return connection.execute(select(Room.changes).where(Room.id == room)).scalar()


def load_snapshot(database: Database, room: int) -> Snapshot | None:
    """Return the state of a room; None if it was deleted."""
    with database.read_transaction() as connection:
        row = connection.execute(select(*Room.__table__.columns).where(Room.id == room)).first()
        if row is None:
            return None
        fields = {
            "room": row.code,
            "ended": row.ends <= time.time(),
            "mode": row.mode,
            "view": row.view,
            "change": row.view_change,
            "plan": row.plan and {**row.plan, "step": row.step},
        }
        return Snapshot(
            row.changes,
            row.ends,
            count_students(connection, room),
            fields,
            work=row.plan and tally_steps(connection, room, row.plan),
            **({} if row.question is None else _load_question(connection, row.question)),
        )


def _load_question(connection: Connection, number: int) -> dict[str, Any]:
    columns = RoomQuestion.__table__.columns
    question = connection.execute(select(*columns).where(RoomQuestion.id == number)).one()
    answers = connection.execute(
        select(*Answer.__table__.columns).where(Answer.question == number).order_by(Answer.id)
    ).all()
    rounds: list[dict[int, Any]] = [{} for _ in range(question.round)]
    for each in answers:
        rounds[each.round - 1][each.student] = each.answer
    *earlier, tally = (tally_of(each.values()) for each in rounds)
    return {
        "question": {name: getattr(question, name) for name in SHOWN},
        "truth": question.truth,
        "answers": rounds[-1],
        "tally": tally,
        "earlier": earlier,
    }


def tally_of(answers: Iterable[Any]) -> AnswerTally:
    """Return the tally of some answers, in ascending order."""
    # An answer may be a list, which cannot be a key.
    counts = Counter(json.dumps(each) for each in answers)
    return sorted([json.loads(answer), count] for answer, count in counts.items())
