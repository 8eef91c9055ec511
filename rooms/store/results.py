"""Results of a room: all answers as CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Row, select

from rooms.store.database import Database
from rooms.store.snapshot import iso_time
from rooms.store.tables import Answer, Question, Student, Work

CSV_COLUMNS = (
    "question", "kind", "prompt", "model", "sentence", "link", "options", "right_answer",
    "round", "student", "answer", "right", "time",
)  # fmt: skip

FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""A spreadsheet reads a text that begins so as a formula (OWASP, "CSV Injection")."""

FORMULA_ESCAPE = "\u200b"
"""Put before such a text: it is invisible, and no spreadsheet runs the formula."""

BOM = "\ufeff"
"""Without it, a spreadsheet may read the file in another encoding."""


def results_csv(database: Database, room: int, site: str, judged: Callable[..., Any]) -> str:
    """Return every answer of a room as CSV, first those to lessons; an empty round is one row.

    Students are numbered by the order of their first connection. The question of a lesson is its
    step: masks.2.

    Args:
        site: Address of this site, for the links to the views: ``https://example.org/``.
        judged: As for ``store_answer``.
    """
    output = io.StringIO(BOM)
    output.seek(0, io.SEEK_END)
    writer = csv.writer(output)
    writer.writerow(CSV_COLUMNS)
    work = _load_work(database, room)  # before the students, whom it may not miss
    questions, numbers = _load(database, room)
    for each in work:
        fields = {
            "question": f"{each.lesson}.{each.step}",
            "kind": "lesson",
            "student": numbers[each.student],
            "answer": each.answer,
            "right": int(each.right),
            "time": iso_time(each.given),
        }
        writer.writerow(escape_formulas(fields.get(name, "") for name in CSV_COLUMNS))
    for number, (question, answers) in enumerate(questions, 1):
        asked = judged(question.kind, question.items, question.truth)
        known = (number, *_described(question, asked, site))
        for round_ in range(1, question.round + 1):
            given = [row for row in answers if row.round == round_]
            for row in given:
                right = asked.is_right(row.answer)
                mark = "" if right is None else int(right)
                rest = (numbers[row.student], asked.name(row.answer), mark, iso_time(row.given))
                writer.writerow(escape_formulas((*known, round_, *rest)))
            if not given:
                writer.writerow(escape_formulas((*known, round_, *[""] * 4)))
    return output.getvalue()


def _described(question: Row[Any], asked: Any, site: str) -> tuple[str, ...]:
    """Return the CSV fields of a question from kind to right_answer."""
    kind, items, truth = question.kind, question.items, question.truth
    if kind == "number":
        right = f"{asked.name(truth['value'])} ± {truth['tolerance']:.3g}"
    else:
        right = " | ".join(asked.name(each) for each in truth["right"])
    return (
        kind,
        question.prompt,
        items.get("model", ""),
        items.get("text", ""),
        site.rstrip("/") + question.view if question.view else "",
        " | ".join(items.get("options", items.get("tokens", ()))),
        right,
    )


def escape_formulas(row: Iterable[Any]) -> list[Any]:
    """Return a row with those texts escaped that a spreadsheet would read as formulas."""
    return [
        FORMULA_ESCAPE + each if isinstance(each, str) and each.startswith(FORMULA_STARTS) else each
        for each in row
    ]


def _load_work(database: Database, room: int) -> Sequence[Row[Any]]:
    query = select(*Work.__table__.columns).where(Work.room == room)
    with database.single_query() as connection:
        return connection.execute(query.order_by(Work.lesson, Work.step, Work.student)).all()


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
            select(*Answer.__table__.columns)
            .join(Question, Question.id == Answer.question)
            .where(Question.room == room)
            .order_by(Answer.round, Answer.id)
        ).all()
    answers: dict[int, list[Row[Any]]] = {question.id: [] for question in questions}
    for row in rows:
        answers[row.question].append(row)
    numbers = {student: number for number, student in enumerate(students, 1)}
    return [(question, answers[question.id]) for question in questions], numbers
