"""What came of a room: every answer as a table, every question with its tallies."""

import csv
import io
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select

from classroom.database import Database
from classroom.kinds import is_right
from classroom.state import counted, iso
from classroom.tables import Answer, Question, Student

COLUMNS = ("question", "kind", "prompt", "round", "student", "answer", "right", "time")

TOLD = ("id", "kind", "prompt", "view", "items", "truth")
"""Of a question, in the summary."""

FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection")."""

GUARD = "\u200b"
"""Before such a text: nothing on the screen, but no spreadsheet runs what follows."""


@dataclass(frozen=True)
class _Asked:
    """A question, and all answers to it: (round, student, answer, when)."""

    question: Row[Any]
    given: list[Row[Any]]


def table(database: Database, room: int) -> str:
    """Every answer of a room as CSV: questions by their order, students by that of their joining.

    A prompt that a spreadsheet would run is guarded.
    """
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(COLUMNS)
    everything, students = _read(database, room)
    for number, asked in enumerate(everything, 1):
        question = asked.question
        formula = question.prompt.startswith(FORMULA)
        named = (number, question.kind, GUARD + question.prompt if formula else question.prompt)
        for row in asked.given:
            right = is_right(question.kind, question.truth, row.answer)
            said = _in_a_cell(question.kind, row.answer)
            mark = "" if right is None else int(right)
            lines.writerow([*named, row.round, students[row.student], said, mark, iso(row.given)])
    return written.getvalue()


def summary(database: Database, room: int) -> dict[str, Any]:
    """Every question of a room with its truth, and the tally of each of its rounds."""
    everything, students = _read(database, room)
    return {
        "students": len(students),
        "questions": [
            {
                **{name: getattr(asked.question, name) for name in TOLD},
                "rounds": [
                    counted(row.answer for row in asked.given if row.round == number)
                    for number in range(1, asked.question.round + 1)
                ],
            }
            for asked in everything
        ],
    }


def _read(database: Database, room: int) -> tuple[list[_Asked], dict[int, int]]:
    """Every question with its answers, and every student's number within the room, from 1."""
    with database.reading() as connection:
        here = select(Student.id).where(Student.room == room).order_by(Student.id)
        numbers = {id_: number for number, id_ in enumerate(connection.execute(here).scalars(), 1)}
        columns = Question.__table__.columns
        asked = select(*columns).where(Question.room == room).order_by(Question.id)
        questions = connection.execute(asked).all()
        answers = connection.execute(
            select(Answer.question, Answer.round, Answer.student, Answer.answer, Answer.given)
            .join(Question, Question.id == Answer.question)
            .where(Question.room == room)
            .order_by(Answer.round, Answer.id)
        ).all()
    given: dict[int, list[Row[Any]]] = {question.id: [] for question in questions}
    for row in answers:
        given[row.question].append(row)
    return [_Asked(question, given[question.id]) for question in questions], numbers


def _in_a_cell(kind: str, answer: Any) -> Any:
    return f"L{answer[0]}·H{answer[1]}" if kind == "head" else answer
