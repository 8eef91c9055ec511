"""What a room's screens show, and to whom."""

import json
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, select

from classroom.database import Database
from classroom.presence import elsewhere
from classroom.tables import Answer, Question, Room

Tally = list[list[Any]]
"""Of each answer: it, and how many gave it."""


@dataclass(frozen=True)
class Snapshot:
    """A room at one moment.

    Attributes:
        changes: Of the room by then.
        ends: In seconds since 1970.
        elsewhere: Students that are connected to other desks.
        room: What everybody sees.
        asked: What everybody sees of the question; None: none is asked.
        truth: Of the question.
        revealed: Whether everybody sees that too.
        answered: Answers of the present round, by the student's number.
        tally: The same, counted.
        earlier: Those of the rounds before.
    """

    changes: int
    ends: float
    elsewhere: int
    room: dict[str, Any]
    asked: dict[str, Any] | None = None
    truth: dict[str, Any] = field(default_factory=dict)
    revealed: bool = False
    answered: dict[int, Any] = field(default_factory=dict)
    tally: Tally = field(default_factory=list)
    earlier: list[Tally] = field(default_factory=list)

    def over(self) -> bool:
        """Whether its time has run out since."""
        return not self.room["ended"] and self.ends <= time.time()

    def for_teacher(self, here: int) -> dict[str, Any]:
        """What the teacher sees; and of the truth, as everybody, only after the reveal.

        Args:
            here: Students that are connected to this process.
        """
        question = self.asked and {
            **self.asked,
            "n_answers": len(self.answered),
            **self._tallies(),
            **({"truth": self.truth} if self.revealed else {}),
        }
        connected = here + self.elsewhere
        return {**self.room, "role": "teacher", "connected": connected, "question": question}

    def for_student(self, student: int) -> dict[str, Any]:
        """What a student sees: of answers their own, and all of them after the reveal."""
        question = self.asked and {
            **self.asked,
            "answered": self.answered.get(student),
            **({"truth": self.truth, **self._tallies()} if self.revealed else {}),
        }
        return {**self.room, "role": "student", "question": question}

    def _tallies(self) -> dict[str, Any]:
        return {"tally": self.tally, "earlier": self.earlier}


def changes(database: Database, room: int) -> int | None:
    """How often a room has changed; None: it is deleted."""
    with database.glancing() as connection:
        return connection.execute(select(Room.changes).where(Room.id == room)).scalar()


def load(database: Database, room: int, desk: str = "") -> Snapshot | None:
    """A room as a desk finds it now; None: it is deleted."""
    with database.reading() as connection:
        row = connection.execute(select(*Room.__table__.columns).where(Room.id == room)).first()
        if row is None:
            return None
        others = elsewhere(connection, room, desk)
        if row.question is None:
            return Snapshot(row.changes, row.ends, others, _room(row))
        columns = Question.__table__.columns
        asked = connection.execute(select(*columns).where(Question.id == row.question)).one()
        given = connection.execute(
            select(Answer.round, Answer.student, Answer.answer)
            .where(Answer.question == asked.id)
            .order_by(Answer.id)
        ).all()
    rounds: list[dict[int, Any]] = [{} for _ in range(asked.round)]
    for each in given:
        rounds[each.round - 1][each.student] = each.answer
    tallies = [counted(each.values()) for each in rounds]
    return Snapshot(
        row.changes,
        row.ends,
        others,
        _room(row),
        asked=_asked(asked),
        truth=asked.truth,
        revealed=asked.revealed,
        answered=rounds[-1],
        tally=tallies[-1],
        earlier=tallies[:-1],
    )


def counted(answers: Iterable[Any]) -> Tally:
    """Each answer with how many gave it, the answers in their order."""
    # A list is no key of a dictionary, its JSON is.
    counts = Counter(json.dumps(each) for each in answers)
    return sorted([json.loads(written), count] for written, count in counts.items())


def iso(seconds: float) -> str:
    """A moment as JSON has it: ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _room(row: Row[Any]) -> dict[str, Any]:
    return {
        "room": row.code,
        "ends": iso(row.ends),
        "ended": row.ended or row.ends <= time.time(),
        "locked": row.locked,
        "view": row.view,
        "change": row.view_change,
    }


def _asked(row: Row[Any]) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "round": row.round,
        "state": "revealed" if row.revealed else "open",
        "prompt": row.prompt,
        "view": row.view,
        "items": row.items,
    }
