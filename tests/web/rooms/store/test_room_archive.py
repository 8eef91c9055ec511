"""The ZIP file with everything that is stored of a room, and the page's list of it."""

import ast
import io
import json
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from tests.web.rooms.conftest import BOTH
from tests.web.rooms.store.test_lesson_work import PLAN, work
from tests.web.rooms.store.test_rooms import NASTY, Classroom
from web.rooms.store import collection, lesson_work, questions, room_lessons, rooms
from web.rooms.store.database import Database
from web.rooms.store.results import results_csv
from web.rooms.store.room_archive import room_archive
from web.rooms.store.tables import (
    Answer,
    Base,
    Collected,
    Lesson,
    Presence,
    Question,
    Room,
    Student,
    Work,
)
from web.rooms.store.tokens import hash_token

SITE = "https://example.org/"

SECRETS = {(Room, "teacher"), (Student, "token")}
IDS = {(Room, "id"), (Student, "id"), (Student, "room"), (Work, "id"), (Work, "room")}
IDS |= {(Lesson, "id"), (Lesson, "room"), (Question, "room"), (Answer, "id")}
IDS |= {(Collected, "id"), (Collected, "room")}

PARTS = {
    "room": Room, "students": Student, "lessons": Lesson, "work": Work, "questions": Question,
    "answers": Answer, "collected": Collected,
}  # fmt: skip


def filled(database: Database) -> Classroom:
    """Return a room that has a value in every column, beside another room."""
    other = Classroom(database, 2)
    other.answer(other.ask(prompt="of another room"), 0, [1, 2])
    classroom = Classroom(database, 2)
    room = classroom.room
    rooms.set_view(database, room, "/?text=%D1%82")
    sketch = classroom.ask(kind="mask", items={"tokens": ["a"]}, truth={"right": [["1"]]})
    classroom.answer(sketch, 1, ["1"])
    questions.close_question(database, room, sketch)
    (made,) = collection.load_sketches(database, room, sketch)
    collection.collect_view(database, room, "a page", "/?text=%D1%82")
    collection.collect_results(database, room, "a sketch", sketch, made["id"])
    question = classroom.ask(prompt=NASTY, items={"layers": 2, "heads": 3, "reasons": True})
    classroom.answer(question, 1, [1, 2], confidence=2, reason="why")
    questions.start_round(database, room, question)
    classroom.answer(question, 0, [0, 0], round_=2)
    lesson_work.set_plan(database, room, PLAN, first=2, last=3)
    lesson_work.set_pause(database, room, "Look!")
    lesson_work.set_name(database, room, classroom.students[1], "Ada")
    lesson_work.send_note(database, room, {2}, "Row 3")
    work(classroom, 1, 2, "dog", "right")
    room_lessons.add_lesson(database, room, "Mine", {"title": "Mine"})
    return classroom


def unpacked(classroom: Classroom) -> tuple[dict[str, bytes], dict]:
    content = room_archive(classroom.database, classroom.room, SITE)
    with ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return files, json.loads(files["room.json"])


@BOTH
def test_the_archive_has_both_tables_and_all_that_is_stored(database: Database) -> None:
    classroom = filled(database)
    files, stored = unpacked(classroom)
    csv = results_csv(database, classroom.room, SITE)
    assert files["results.csv"].decode() == csv
    assert files["lesson.csv"].decode() == lesson_work.work_csv(database, classroom.room, SITE)
    own = stored["room"]
    assert (own["code"], own["view"]) == (classroom.opened.code, "/?text=%D1%82")
    assert (own["plan"], own["first"], own["last"]) == (PLAN, 2, 3)
    assert (own["paused"], own["apart"], own["locked"], own["shut"]) == (
        "Look!",
        True,
        False,
        False,
    )
    assert datetime.fromisoformat(own["ends"]).timestamp() == int(classroom.opened.ends)
    ada = {"number": 2, "name": "Ada", "note": "Row 3"}
    assert stored["students"] == [{"number": 1, "name": None, "note": None}, ada]
    (step,) = stored["work"]
    assert datetime.fromisoformat(step.pop("given"))
    done = {"lesson": "masks", "step": 2, "answer": "dog", "outcome": "right", "tries": 1}
    assert step == {"student": 2, **done, "view": "/?step=2"}
    sketch, question = stored["questions"]
    assert (question["prompt"], question["truth"]) == (NASTY, {"right": [[1, 2]]})
    assert question["id"] == own["question"]
    given = [
        (each["question"], each["round"], each["student"], each["answer"], each["confidence"])
        for each in stored["answers"]
    ]
    assert given == [
        (sketch["id"], 1, 2, ["1"], None),
        (question["id"], 1, 2, [1, 2], "guessing"),
        (question["id"], 2, 1, [0, 0], None),
    ]
    assert [each["reason"] for each in stored["answers"]] == [None, "why", None]
    none = {"question": None, "round": None, "student": None}
    view, picture = stored["collected"]
    page = {"place": 0, "label": "a page", "view": "/?text=%D1%82", "shown": False}
    assert view == page | none
    made = {"place": 1, "label": "a sketch", "view": None, "question": sketch["id"], "shown": False}
    assert picture == {**made, "round": 1, "student": 2}


@BOTH
def test_every_column_is_in_the_archive_except_the_keys(database: Database) -> None:
    _, stored = unpacked(filled(database))
    examples = {name: part if name == "room" else part[0] for name, part in stored.items()}
    for name, table in PARTS.items():
        columns = {column.name for column in table.__table__.columns}
        left_out = {column for owner, column in SECRETS | IDS if owner is table}
        assert examples[name].keys() - {"number"} == columns - left_out
    tables = {mapper.class_ for mapper in Base.registry.mappers}
    # The version of the tables, and the counts of connected students, belong to the server.
    assert {each.__name__ for each in tables - {*PARTS.values(), Presence}} == {"About"}


@BOTH
def test_the_archive_has_no_token_and_no_hash_of_one(database: Database) -> None:
    classroom = filled(database)
    files, _ = unpacked(classroom)
    content = b"".join(files.values()).decode()
    for token in (classroom.opened.teacher, *classroom.tokens):
        assert token not in content
        assert hash_token(token).hex() not in content
    assert "of another room" not in content


STATED = {
    Room: {
        "code": "its code", "teacher": "hash of each token", "ends": "its end", "ended": "its end",
        "locked": "its switches", "apart": "its switches", "shut": "its switches",
        "view": "the teacher's view", "plan": "the lesson", "first": "its open steps",
        "last": "its open steps", "paused": "the message of a pause", "question": "every question",
    },
    Student: {"token": "hash of each token", "name": "a name", "note": "A note of the teacher"},
    Lesson: {
        "name": "A lesson that the teacher adds", "title": "A lesson that the teacher adds",
        "content": "A lesson that the teacher adds", "given": "with its time",
    },
    Work: {
        "student": "each student's answer", "lesson": "In a lesson", "step": "answer to a step",
        "answer": "answer to a step", "outcome": "its outcome", "tries": "the number of tries",
        "view": "the link of the student's page", "given": "the time",
    },
    Question: {
        "kind": "every question", "prompt": "every question", "view": "every question",
        "items": "every question", "truth": "its right answers", "round": "every question",
        "state": "every question",
    },
    Answer: {
        "question": "each answer to a question", "round": "each answer to a question",
        "student": "About a student", "answer": "the content of each answer",
        "confidence": "how sure the student is", "reason": "the reason",
        "shown": "if the teacher shows it", "given": "the time",
    },
    Collected: {
        "place": "their order", "label": "their names", "view": "the list of views",
        "question": "results", "round": "sketches", "student": "sketches",
        "shown": "What the teacher shows side by side",
    },
    Presence: {"connected": "how many students are connected"},
}  # fmt: skip
"""The words of the page Classroom for each column that says something about a class."""

TECHNICAL = {"id", "room", "view_change", "changes", "process", "seen", "version"}


def test_the_page_names_everything_that_is_stored() -> None:
    source = (Path(__file__).parents[4] / "pages/classroom/page.py").read_text("utf-8")
    texts = [each.value for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Constant)]
    (listed,) = [text for text in texts if str(text).startswith("- Your browser")]
    for mapper in Base.registry.mappers:
        words = STATED.get(mapper.class_, {})
        assert {column.name for column in mapper.columns} - TECHNICAL == words.keys()
        for text in words.values():
            assert text in listed.replace("*", ""), text
