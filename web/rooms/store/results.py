"""Results of a room: all answers as CSV, and the tallies of every question."""

import csv
import io
from typing import Any

from sqlalchemy import Row, select

from web.rooms.store.database import Database
from web.rooms.store.question_kinds import is_right
from web.rooms.store.snapshot import count_answers, iso_time
from web.rooms.store.tables import Answer, Question, Student

CSV_COLUMNS = ("question", "kind", "prompt", "round", "student", "answer", "right", "time")

SUMMARY_FIELDS = ("id", "kind", "prompt", "view", "items", "truth")
"""Of a question."""

FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""A spreadsheet reads a text that begins so as a formula (OWASP, "CSV Injection")."""

FORMULA_ESCAPE = "\u200b"
"""Put before such a text: it is invisible, and no spreadsheet runs the formula."""


def results_csv(database: Database, room: int) -> str:
    """Return every answer of a room as CSV. Students are numbered by the order of joining."""
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow(CSV_COLUMNS)
    questions, numbers = _load(database, room)
    for number, (question, answers) in enumerate(questions, 1):
        kind, prompt = question.kind, question.prompt
        if prompt.startswith(FORMULA_STARTS):
            prompt = FORMULA_ESCAPE + prompt
        for row in answers:
            right = is_right(kind, question.truth, row.answer)
            answer = "L{}·H{}".format(*row.answer) if kind == "head" else row.answer
            mark = "" if right is None else int(right)
            student = numbers[row.student]
            time = iso_time(row.given)
            writer.writerow([number, kind, prompt, row.round, student, answer, mark, time])
    return output.getvalue()


def results_summary(database: Database, room: int) -> dict[str, Any]:
    """Return the number of students, and every question with its truth and a tally a round."""
    questions, numbers = _load(database, room)
    return {
        "students": len(numbers),
        "questions": [
            {
                **{name: getattr(question, name) for name in SUMMARY_FIELDS},
                "rounds": [
                    count_answers(row.answer for row in answers if row.round == round_)
                    for round_ in range(1, question.round + 1)
                ],
            }
            for question, answers in questions
        ],
    }


def _load(
    database: Database, room: int
) -> tuple[list[tuple[Row[Any], list[Row[Any]]]], dict[int, int]]:
    """Return each question with its answers, and each student's number in the room, from 1."""
    with database.read_transaction() as connection:
        joined = select(Student.id).where(Student.room == room).order_by(Student.id)
        students = connection.execute(joined).scalars().all()
        columns = Question.__table__.columns
        query = select(*columns).where(Question.room == room).order_by(Question.id)
        questions = connection.execute(query).all()
        rows = connection.execute(
            select(Answer.question, Answer.round, Answer.student, Answer.answer, Answer.given)
            .join(Question, Question.id == Answer.question)
            .where(Question.room == room)
            .order_by(Answer.round, Answer.id)
        ).all()
    answers: dict[int, list[Row[Any]]] = {question.id: [] for question in questions}
    for row in rows:
        answers[row.question].append(row)
    numbers = {student: number for number, student in enumerate(students, 1)}
    return [(question, answers[question.id]) for question in questions], numbers
