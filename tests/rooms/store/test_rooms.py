"""Stored rooms, questions, answers and results, with SQLite and, nightly, with PostgreSQL."""

import csv
import io
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from model.questions import Question as Judged
from rooms.store import questions, rooms, snapshot
from rooms.store.database import Database
from rooms.store.errors import RoomError
from rooms.store.lesson_work import store_work
from rooms.store.results import results_csv
from rooms.store.tables import Answer, Room, RoomQuestion, Student, Work

HEAD = {"kind": "head", "items": {"layers": 2, "heads": 3}, "truth": {"right": [[1, 2]]}}
OPTIONS = {"kind": "choice", "items": {"options": ["a", "b", "c"]}, "truth": {"right": [1]}}
NASTY = "'; DROP TABLE rooms; -- <script>alert(1)</script> {0} %s \N{DRAGON} \u202e"


class Classroom:
    """A room with a teacher and students."""

    def __init__(self, database: Database, n_students: int) -> None:
        self.database = database
        self.opened = rooms.open_room(database)
        self.room = rooms.find_member(database, self.opened.code, self.opened.teacher).room
        code = self.opened.code
        self.tokens = [rooms.join(database, code) for _ in range(n_students)]
        self.students = [rooms.admit(database, code, token).student for token in self.tokens]

    def ask(self, **what: object) -> int:
        question = {**HEAD, "prompt": "Which?", "view": "/", **what}
        return questions.ask_question(self.database, self.room, **question)

    def answer(self, question: int, student: int, given: object, round_: int = 1):
        mine = self.students[student]
        return questions.store_answer(
            self.database, self.room, question, mine, round_=round_, answer=given, judged=Judged
        )

    def snapshot(self) -> snapshot.Snapshot:
        found = snapshot.load_snapshot(self.database, self.room)
        assert found
        return found


@pytest.fixture
def classroom(database: Database) -> Classroom:
    return Classroom(database, 3)


def refused(reason: str, act: Callable[..., object], *given: object, **named: object):
    with pytest.raises(RoomError) as found:
        act(*given, **named)
    assert found.value.reason == reason, found.value.about
    return found.value


def test_the_first_room_creates_the_database(where: Path | str, database: Database) -> None:
    refused("unknown", rooms.join, database, "12345678")
    refused("unknown", rooms.find_member, database, "12345678", "token")
    rooms.delete_expired(database)
    assert not database.exists()
    assert not isinstance(where, Path) or not where.parent.exists()
    rooms.open_room(database)
    assert database.exists()
    assert not isinstance(where, Path) or where.parent.stat().st_mode & 0o077 == 0


def test_a_token_is_valid_in_one_room_and_stored_as_a_hash(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Classroom(database, 2)
    codes = iter([one.opened.code, one.opened.code, "87654321"])  # a code in use is drawn again
    monkeypatch.setattr(rooms, "new_join_code", lambda: next(codes))
    other = Classroom(database, 1)
    assert other.opened.code == "87654321"
    assert len({*one.students, *other.students}) == 3
    assert rooms.find_member(database, one.opened.code, one.opened.teacher).student is None
    refused("forbidden", rooms.find_member, database, other.opened.code, one.opened.teacher)
    refused("forbidden", rooms.find_member, database, other.opened.code, one.tokens[0])
    refused("forbidden", rooms.find_member, database, one.opened.code, "\ud800")
    with database.read_transaction() as connection:
        stored = connection.execute(select(Student.token)).scalars().all()
        stored += connection.execute(select(Room.teacher)).scalars().all()
    assert {len(each) for each in stored} == {32}
    assert not {token.encode() for token in one.tokens} & set(stored)


def test_a_student_answers_once_a_round_and_not_after_the_reveal(classroom: Classroom) -> None:
    number, right = classroom.ask(), [1, 2]
    of_room = (classroom.database, classroom.room, number)
    for _ in range(2):  # the second is a retry
        assert classroom.answer(number, 0, right) == (right, True)
    assert classroom.answer(number, 0, [0, 0]) == (right, False)
    refused("closed", classroom.answer, number, 1, right, round_=2)
    questions.lead(*of_room, "stop")
    assert classroom.answer(number, 2, right) == (right, True)  # selected when the answers stopped
    for action in ("reveal", "stop"):  # one is late
        questions.lead(*of_room, action)
        refused("closed", classroom.answer, number, 1, right)
    assert classroom.snapshot().question["state"] == "revealed"
    assert classroom.answer(number, 0, right) == (right, True)  # a retry
    questions.lead(*of_room, "again")
    refused("closed", classroom.answer, number, 1, right)  # of the first round
    assert classroom.answer(number, 0, [0, 0], round_=2) == ([0, 0], True)
    questions.lead(*of_room, "close")
    assert classroom.snapshot().question is None
    refused("closed", questions.lead, *of_room, "again")
    refused("closed", classroom.answer, number, 1, right, round_=2)


def test_a_question_belongs_to_one_room(database: Database) -> None:
    one, other = Classroom(database, 1), Classroom(database, 1)
    number = one.ask()
    other.ask()
    refused("closed", other.answer, number, 0, [1, 2])
    refused("closed", questions.lead, database, other.room, number, "reveal")
    refused("closed", one.answer, 2**70, 0, [1, 2])


def test_concurrent_answers_of_a_student_store_one(classroom: Classroom) -> None:
    number = classroom.ask()
    with ThreadPoolExecutor(4) as threads:
        cells = [[turn % 2, turn % 3] for turn in range(12)]
        stored = list(threads.map(lambda cell: classroom.answer(number, 0, cell), cells))
    assert [(stored[0][0], each == stored[0][0]) for each in cells] == stored
    assert classroom.snapshot().tally == [[stored[0][0], 1]]


def test_every_acknowledged_answer_is_in_the_revealed_tally(database: Database) -> None:
    crowd = Classroom(database, 24)
    number = crowd.ask(**OPTIONS)

    def give(student: int) -> bool:
        try:
            return crowd.answer(number, student, student % 3)[1]
        except RoomError as late:
            assert late.reason == "closed"
            return False

    with ThreadPoolExecutor(4) as threads:
        giving = [threads.submit(give, student) for student in range(24)]
        while not any(each.done() for each in giving):
            time.sleep(0.001)
        questions.lead(database, crowd.room, number, "reveal")
        revealed = crowd.snapshot()
        stored = sum(each.result() for each in giving)
    assert sum(count for _, count in revealed.tally) == stored == len(crowd.snapshot().answers)


def test_students_see_truth_and_tally_after_the_reveal_only(classroom: Classroom) -> None:
    first, second, third = classroom.students
    number = classroom.ask(prompt=NASTY, view=None)
    of_room = (classroom.database, classroom.room, number)
    classroom.answer(number, 0, [1, 2])
    classroom.answer(number, 1, [0, 2])
    assert snapshot.tally_of([[1, 2], [0, 1], [1, 2]]) == [[[0, 1], 1], [[1, 2], 2]]  # ascending
    question = {"id": number, "kind": "head", "round": 1, "prompt": NASTY, "view": None}
    question["items"] = HEAD["items"]
    both = [[[0, 2], 1], [[1, 2], 1]]

    def seen(student: int) -> dict:
        return classroom.snapshot().for_student(student)["question"]

    def taught() -> dict:
        return classroom.snapshot().for_teacher()["question"]

    for state, action in (("open", "stop"), ("stopped", "reveal")):
        shown = {**question, "state": state}
        assert seen(first) == {**shown, "answered": [1, 2]}
        assert seen(third) == {**shown, "answered": None}
        assert taught() == {**shown, "n_answers": 2, "tally": both, "earlier": []}
        questions.lead(*of_room, action)
    shown |= {"state": "revealed", "truth": HEAD["truth"], "tally": both, "earlier": []}
    assert seen(second) == {**shown, "answered": [0, 2]}
    assert taught() == {**shown, "n_answers": 2}
    questions.lead(*of_room, "again")
    shown = {**question, "state": "open", "round": 2}
    assert seen(first) == {**shown, "answered": None}
    assert taught() == {**shown, "n_answers": 0, "tally": [], "earlier": [both]}
    assert classroom.snapshot().for_teacher()["students"] == 3
    assert "students" not in classroom.snapshot().for_student(first)


def test_a_room_ends_after_a_day_and_is_deleted_a_week_later(classroom: Classroom) -> None:
    database = classroom.database
    assert classroom.snapshot().ends == pytest.approx(time.time() + 86_400, abs=60)
    number = classroom.ask()
    classroom.answer(number, 0, [1, 2])

    def set_end(seconds_ago: float) -> None:
        with database.write_transaction() as connection:
            over = update(Room).where(Room.id == classroom.room)
            connection.execute(over.values(ends=time.time() - seconds_ago))

    set_end(1)
    refused("ended", rooms.join, database, classroom.opened.code)
    refused("ended", classroom.ask)
    refused("ended", classroom.answer, number, 1, [1, 2])
    refused("ended", rooms.update_room, database, classroom.room, rooms.show_view("/"))
    set_end(7 * 86_400 - 60)
    rooms.delete_expired(database)
    assert "L1·H2" in results_csv(database, classroom.room, "https://example.org/", Judged)
    set_end(7 * 86_400 + 60)
    rooms.delete_expired(database)
    assert snapshot.load_snapshot(database, classroom.room) is None


def test_an_ended_room_can_be_deleted_with_all_its_data(classroom: Classroom) -> None:
    database = classroom.database
    classroom.answer(classroom.ask(), 0, [1, 2])
    work = {"lesson": "masks", "step": 1, "answer": "dog", "right": True}
    store_work(database, classroom.room, classroom.students[0], **work)
    other = rooms.open_room(database)
    rooms.end_room(database, classroom.room)
    assert classroom.snapshot().room["ended"] and not classroom.snapshot().is_outdated()
    refused("ended", rooms.end_room, database, classroom.room)
    rooms.delete_room(database, classroom.room)
    refused("unknown", rooms.find_member, database, classroom.opened.code, "x")
    with database.read_transaction() as connection:
        for table in (Answer, RoomQuestion, Student, Work):
            assert not connection.execute(select(table.__table__)).all()
    assert rooms.join(database, other.code)


def test_the_csv_has_every_answer_and_escapes_formulas(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    number = classroom.ask(prompt='=1+1, "said"\nshe')
    classroom.answer(number, 2, [1, 2])
    classroom.answer(number, 0, [0, 2])
    questions.lead(database, room, number, "again")
    classroom.answer(number, 0, [1, 2], round_=2)
    truth = {"value": -2.5000001, "tolerance": 0.01}  # the screen has six digits
    number = classroom.ask(kind="number", prompt="How much?", items={}, truth=truth)
    classroom.answer(number, 1, -2.4950001)
    opinion = {"items": {"options": ["a", "b", "@c"]}, "truth": {"right": []}}
    number = classroom.ask(**{**OPTIONS, **opinion}, prompt=NASTY, view=None)
    classroom.answer(number, 1, 2)
    sentence = {"tokens": ["+", "b"], "model": "scratch", "text": "+b"}
    about = {"prompt": "Where?", "view": "/?text=%2Bb"}
    classroom.ask(kind="token", items=sentence, truth={"right": [1]}, **about)
    site = "https://example.org/"
    work = {"lesson": "masks", "step": 2, "answer": "@x", "right": False}
    store_work(database, room, classroom.students[1], **work)
    text = results_csv(database, room, site, Judged)
    assert text.startswith("\ufeff")  # spreadsheets read UTF-8 then
    lines = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    asked = ["1", "head", '\u200b=1+1, "said"\nshe', "", "", site, "", "L1·H2"]
    number_fields = ["2", "number", "How much?", "", "", site, "", "\u200b-2.5 ± 0.01"]
    token_fields = ["4", "token", "Where?", "scratch", "\u200b+b", f"{site}?text=%2Bb"]
    assert [list(line.values())[:-1] for line in lines] == [
        ["masks.2", "lesson", *[""] * 7, "2", "\u200b@x", "0"],
        [*asked, "1", "3", "L1·H2", "1"],
        [*asked, "1", "1", "L0·H2", "0"],
        [*asked, "2", "1", "L1·H2", "1"],
        [*number_fields, "1", "2", "-2.495", "1"],
        ["3", "choice", NASTY, *[""] * 3, "a | b | @c", "", "1", "2", "\u200b@c", ""],
        [*token_fields, "\u200b+ | b", "b", "1", *[""] * 3],
    ]


def test_students_questions_and_rounds_are_limited(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, room, code = classroom.database, classroom.room, classroom.opened.code
    monkeypatch.setattr(rooms, "MAX_STUDENTS", 4)
    first, second = rooms.join(database, code), rooms.join(database, code)
    assert rooms.admit(database, code, first) == rooms.admit(database, code, first)
    refused("full", rooms.admit, database, code, second)
    refused("full", rooms.join, database, code)
    monkeypatch.setattr(questions, "MAX_QUESTIONS", 1)
    monkeypatch.setattr(questions, "MAX_ROUNDS", 2)
    number = classroom.ask()
    refused("full", classroom.ask)
    questions.lead(database, room, number, "again")
    refused("full", questions.lead, database, room, number, "again")


def test_tables_of_another_version_are_refused(where: Path | str, database: Database) -> None:
    rooms.open_room(database)
    with database.write_transaction() as connection:
        connection.execute(text("UPDATE headlight SET version = 10"))
    again = Database(where)
    words = refused("database", rooms.open_room, again).about
    assert "of version 10" in words and "reads version 9" in words
    again.close()


def test_two_processes_create_the_tables_at_the_same_time(where: Path | str) -> None:
    both = [Database(where), Database(where)]
    with ThreadPoolExecutor(2) as threads:
        assert len({opened.code for opened in threads.map(rooms.open_room, both)}) == 2
    for each in both:
        each.close()
