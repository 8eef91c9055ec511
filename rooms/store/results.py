"""Results of a room: all answers as CSV."""

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, select

from rooms.store.database import Database
from rooms.store.tables import Answer, Base, RoomQuestion, Student, Work

CSV_COLUMNS = (
    "question", "kind", "prompt", "model", "sentence", "link", "options", "right_answer",
    "round", "student", "answer", "right", "time",
)  # fmt: skip

FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""A spreadsheet reads a text that begins so as a formula (OWASP, "CSV Injection")."""

FORMULA_ESCAPE = "\u200b"  # before such a text: invisible, and no spreadsheet runs the formula
BOM = "\ufeff"  # without it, a spreadsheet may read the file in another encoding


def results_csv(database: Database, room: int, site: str, judged: Callable[..., Any]) -> str:
    """Return every answer of a room as CSV, first those to lessons; an empty round is one row.

    Students are numbered in the order of joining. The question of a lesson is its step: masks.2.

    Args:
        site: Address of this site, for the links to the views: ``https://example.org/``.
        judged: As for ``store_answer``.
    """
    output = io.StringIO()
    writer = csv.DictWriter(output, CSV_COLUMNS, restval="")
    writer.writeheader()

    def write(**fields: Any) -> None:
        writer.writerow({name: escape_formula(value) for name, value in fields.items()})

    with database.read_transaction() as connection:
        load = partial(_load, connection, room)
        numbers = {row.id: n for n, row in enumerate(load(Student, Student.id), 1)}
        work = load(Work, Work.lesson, Work.step, Work.student)
        questions = load(RoomQuestion, RoomQuestion.id)
        answers = defaultdict[tuple[int, int], list[Row[Any]]](list)
        for row in load(Answer, Answer.id):
            answers[row.question, row.round].append(row)
    for row in work:
        step = f"{row.lesson}.{row.step}"
        write(question=step, kind="lesson", **_given(row, numbers), right=int(row.right))
    for number, question in enumerate(questions, 1):
        asked = judged(question.kind, question.items, question.truth)
        known = {"question": number, **_described(question, asked, site)}
        for round_ in range(1, question.round + 1):
            own = answers[question.id, round_]
            for row in own:
                right = asked.is_right(row.answer)
                given = _given(row, numbers) | {"answer": asked.name(row.answer)}
                write(**known, round=round_, **given, right="" if right is None else int(right))
            if not own:
                write(**known, round=round_)
    return BOM + output.getvalue()


def _described(question: Row[Any], asked: Any, site: str) -> dict[str, Any]:
    items, truth = question.items, question.truth
    if question.kind == "number":
        right = f"{asked.name(truth['value'])} ± {truth['tolerance']:.3g}"
    else:
        right = " | ".join(asked.name(each) for each in truth["right"])
    return {
        "kind": question.kind,
        "prompt": question.prompt,
        "model": items.get("model", ""),
        "sentence": items.get("text", ""),
        "link": site.rstrip("/") + question.view if question.view else "",
        "options": " | ".join(items.get("options", items.get("tokens", ()))),
        "right_answer": right,
    }


def _given(row: Row[Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    time = datetime.fromtimestamp(row.given, UTC).isoformat(timespec="seconds")
    return {"student": numbers[row.student], "answer": row.answer, "time": time}


def escape_formula(value: Any) -> Any:
    """Escape a text that a spreadsheet would read as a formula."""
    is_formula = isinstance(value, str) and value.startswith(FORMULA_STARTS)
    return FORMULA_ESCAPE + value if is_formula else value


def _load(connection: Connection, room: int, table: type[Base], *order: Any) -> Sequence[Row[Any]]:
    """Return the rows of a room; an answer is of its question's room."""
    columns = table.__table__.columns
    query = select(*columns).order_by(*order)
    if table is Answer:
        query, columns = query.join(RoomQuestion), RoomQuestion.__table__.columns
    return connection.execute(query.where(columns.room == room)).all()
