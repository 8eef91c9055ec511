"""Rooms, questions and answers as they are kept: on SQLite, and the same on PostgreSQL."""

import csv
import io
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update

from classroom import presence, questions, rooms, state, watch
from classroom.database import Database
from classroom.errors import RoomError
from classroom.results import summary, table
from classroom.tables import Answer, Presence, Question, Room, Student
from tests.classroom.conftest import BOTH

pytestmark = BOTH

HEAD = {"kind": "head", "items": {"layers": 2, "heads": 3}, "truth": {"right": [[1, 2]]}}
OPTIONS = {"kind": "choice", "items": {"options": ["a", "b", "c"]}, "truth": {"right": [1]}}
NASTY = "'; DROP TABLE rooms; -- <script>alert(1)</script> {0} %s \N{DRAGON} \u202e"


class Class:
    """A room with a teacher and students in it."""

    def __init__(self, database: Database, n_students: int) -> None:
        self.database = database
        self.opened = rooms.open_room(database)
        tokens = [rooms.join(database, self.opened.code) for _ in range(n_students)]
        people = [rooms.who(database, self.opened.code, token) for token in tokens]
        self.tokens, self.students = tokens, [person.student for person in people]
        self.room = rooms.who(database, self.opened.code, self.opened.teacher).room

    def ask(self, **what: object) -> int:
        asked = {**HEAD, "prompt": "Which?", "view": "/", **what}
        return questions.ask(self.database, self.room, **asked)

    def answer(self, question: int, student: int, given: object, round_: int = 1):
        mine = self.students[student]
        return questions.answer(
            self.database, self.room, question, mine, round_=round_, given=given
        )

    def seen(self) -> state.Snapshot:
        found = state.load(self.database, self.room)
        assert found
        return found


@pytest.fixture
def a_class(database: Database) -> Class:
    return Class(database, 3)


def refused(reason: str, act: Callable[..., object], *given: object, **named: object):
    with pytest.raises(RoomError) as found:
        act(*given, **named)
    assert found.value.reason == reason, found.value.about
    return found.value


def test_nothing_is_made_before_the_first_room(where: Path | str, database: Database) -> None:
    refused("unknown", rooms.join, database, "12345678")
    refused("unknown", rooms.who, database, "12345678", "token")
    rooms.delete_old(database)
    assert not database.exists()
    if isinstance(where, Path):
        assert not where.parent.exists()
    rooms.open_room(database)
    assert database.exists()
    if isinstance(where, Path):
        assert where.parent.stat().st_mode & 0o077 == 0


def test_a_token_is_somebodys_in_one_room_alone_and_kept_by_its_hash(database: Database) -> None:
    one, other = Class(database, 2), Class(database, 1)
    assert len({*one.students, *other.students}) == 3
    assert rooms.who(database, one.opened.code, one.opened.teacher).student is None
    refused("forbidden", rooms.who, database, other.opened.code, one.opened.teacher)
    refused("forbidden", rooms.who, database, other.opened.code, one.tokens[0])
    refused("forbidden", rooms.who, database, one.opened.code, "\ud800")
    with database.reading() as connection:
        kept = connection.execute(select(Student.token)).scalars().all()
        kept += connection.execute(select(Room.teacher)).scalars().all()
    assert {len(each) for each in kept} == {32}
    assert not {token.encode() for token in one.tokens} & set(kept)


def test_a_view_is_a_change_that_everybody_sees(a_class: Class) -> None:
    before = a_class.seen()
    assert (before.room["view"], before.room["change"]) == (None, 0)
    rooms.show(a_class.database, a_class.room, f"/layers?text={NASTY}")
    rooms.lock(a_class.database, a_class.room, True)
    after = a_class.seen()
    assert after.changes == before.changes + 2
    assert after.for_student(a_class.students[0]) == {
        "role": "student",
        "room": a_class.opened.code,
        "ends": state.iso(a_class.opened.ends),
        "ended": False,
        "locked": True,
        "view": f"/layers?text={NASTY}",
        "change": 1,
        "question": None,
    }


def test_one_answer_a_round_and_none_after_the_reveal(a_class: Class) -> None:
    number = a_class.ask()
    assert a_class.answer(number, 0, [1, 2]) == ([1, 2], True)
    assert a_class.answer(number, 0, [1, 2]) == ([1, 2], True)
    assert a_class.answer(number, 0, [0, 0]) == ([1, 2], False)
    refused("closed", a_class.answer, number, 1, [1, 2], round_=2)
    questions.reveal(a_class.database, a_class.room, number)
    refused("closed", a_class.answer, number, 1, [1, 2])
    assert a_class.answer(number, 0, [1, 2]) == ([1, 2], True)  # sent again: it is kept
    questions.again(a_class.database, a_class.room, number)
    refused("closed", a_class.answer, number, 1, [1, 2])  # kept for round 1 till now
    assert a_class.answer(number, 0, [0, 0], round_=2) == ([0, 0], True)
    questions.close(a_class.database, a_class.room, number)
    assert a_class.seen().asked is None
    for act in (questions.reveal, questions.again, questions.close):
        refused("closed", act, a_class.database, a_class.room, number)
    refused("closed", a_class.answer, number, 1, [1, 2], round_=2)


def test_a_question_is_of_its_room(database: Database) -> None:
    one, other = Class(database, 1), Class(database, 1)
    number = one.ask()
    other.ask()
    refused("closed", other.answer, number, 0, [1, 2])
    refused("closed", questions.reveal, database, other.room, number)
    refused("closed", one.answer, 2**70, 0, [1, 2])
    refused("closed", one.answer, number, 0, [1, 2], round_=2**70)
    refused("closed", questions.close, database, one.room, 2**70)


def test_a_dozen_answers_of_one_student_at_once_are_one(a_class: Class) -> None:
    number = a_class.ask()
    with ThreadPoolExecutor(4) as many:
        cells = [[turn % 2, turn % 3] for turn in range(12)]
        kept = list(many.map(lambda cell: a_class.answer(number, 0, cell), cells))
    assert len({tuple(each) for each, _ in kept}) == 1
    assert [each == kept[0][0] for each in cells] == [as_given for _, as_given in kept]
    assert a_class.seen().tally == [[kept[0][0], 1]]


def test_no_answer_is_kept_beside_a_reveal(database: Database) -> None:
    """Whoever is told that an answer is kept is in the tally that was revealed."""
    crowd = Class(database, 24)
    number = crowd.ask(**OPTIONS)

    def give(student: int) -> bool:
        try:
            return crowd.answer(number, student, student % 3)[1]
        except RoomError as late:
            assert late.reason == "closed"
            return False

    with ThreadPoolExecutor(4) as many:
        giving = [many.submit(give, student) for student in range(24)]
        while not any(each.done() for each in giving):
            time.sleep(0.001)
        questions.reveal(database, crowd.room, number)
        revealed = crowd.seen()
        kept = sum(each.result() for each in giving)
    assert sum(count for _, count in revealed.tally) == kept == len(crowd.seen().answered)


def test_what_is_true_and_what_others_said_is_seen_after_the_reveal(a_class: Class) -> None:
    first, second, third = a_class.students
    number = a_class.ask(prompt=NASTY, view=None)
    a_class.answer(number, 0, [1, 2])
    a_class.answer(number, 1, [0, 2])
    asked = {
        "id": number,
        "kind": "head",
        "round": 1,
        "state": "open",
        "prompt": NASTY,
        "view": None,
        "items": HEAD["items"],
    }
    both = [[[0, 2], 1], [[1, 2], 1]]
    seen = a_class.seen()
    assert seen.for_student(first)["question"] == {**asked, "answered": [1, 2]}
    assert seen.for_student(third)["question"] == {**asked, "answered": None}
    counts = {"n_answers": 2, "tally": both, "earlier": []}
    assert seen.for_teacher(5)["question"] == {**asked, **counts}
    assert seen.for_teacher(5)["connected"] == 5
    assert "connected" not in seen.for_student(first)

    questions.reveal(a_class.database, a_class.room, number)
    shown = {**asked, "state": "revealed", "truth": HEAD["truth"], "tally": both, "earlier": []}
    seen = a_class.seen()
    assert seen.for_student(second)["question"] == {**shown, "answered": [0, 2]}
    assert seen.for_teacher(0)["question"] == {**shown, "n_answers": 2}

    questions.again(a_class.database, a_class.room, number)
    seen = a_class.seen()
    anew = {**asked, "round": 2}
    assert seen.for_student(first)["question"] == {**anew, "answered": None}
    hidden = {"n_answers": 0, "tally": [], "earlier": [both]}
    assert seen.for_teacher(0)["question"] == {**anew, **hidden}


def test_a_room_ends_after_a_day_and_is_deleted_a_week_later(a_class: Class) -> None:
    database, code = a_class.database, a_class.opened.code
    assert a_class.opened.ends == pytest.approx(time.time() + 86_400, abs=60)
    number = a_class.ask()
    a_class.answer(number, 0, [1, 2])
    seen = a_class.seen()
    assert not seen.over()

    def ended(seconds_ago: float) -> None:
        with database.writing() as connection:
            over = update(Room).where(Room.id == a_class.room)
            connection.execute(over.values(ends=time.time() - seconds_ago))

    ended(1)
    assert a_class.seen().room["ended"]
    refused("ended", rooms.join, database, code)
    refused("ended", a_class.ask)
    refused("ended", a_class.answer, number, 1, [1, 2])
    refused("ended", rooms.show, database, a_class.room, "/")
    ended(7 * 86_400 - 60)
    rooms.delete_old(database)
    assert "L1·H2" in table(database, a_class.room)
    ended(7 * 86_400 + 60)
    rooms.delete_old(database)
    refused("unknown", rooms.who, database, code, a_class.opened.teacher)
    assert state.load(database, a_class.room) is None
    with database.reading() as connection:
        for kept in (Room, Student, Question, Answer):
            assert connection.execute(select(func.count()).select_from(kept)).scalar() == 0


def test_the_teacher_ends_a_room(a_class: Class) -> None:
    rooms.end(a_class.database, a_class.room)
    assert a_class.seen().room["ended"] and not a_class.seen().over()
    refused("ended", rooms.end, a_class.database, a_class.room)
    refused("ended", rooms.join, a_class.database, a_class.opened.code)


def test_every_answer_is_in_the_table_and_text_is_text(a_class: Class) -> None:
    database, room = a_class.database, a_class.room
    number = a_class.ask(prompt='=1+1, "said"\nshe')
    a_class.answer(number, 2, [1, 2])
    a_class.answer(number, 0, [0, 2])
    questions.again(database, room, number)
    a_class.answer(number, 0, [1, 2], round_=2)
    number = a_class.ask(
        kind="number", prompt="How much?", items={}, truth={"value": -2.5, "tolerance": 0.01}
    )
    a_class.answer(number, 1, -2.495)
    number = a_class.ask(**{**OPTIONS, "truth": {"right": []}}, prompt=NASTY)
    a_class.answer(number, 1, 2)
    lines = list(csv.DictReader(io.StringIO(table(database, room))))
    assert [tuple(line.values())[:-1] for line in lines] == [
        ("1", "head", '\u200b=1+1, "said"\nshe', "1", "3", "L1·H2", "1"),
        ("1", "head", '\u200b=1+1, "said"\nshe', "1", "1", "L0·H2", "0"),
        ("1", "head", '\u200b=1+1, "said"\nshe', "2", "1", "L1·H2", "1"),
        ("2", "number", "How much?", "1", "2", "-2.495", "1"),
        ("3", "choice", NASTY, "1", "2", "2", ""),
    ]
    told = summary(database, room)
    assert told["students"] == 3
    assert [each["rounds"] for each in told["questions"]] == [
        [[[[0, 2], 1], [[1, 2], 1]], [[[1, 2], 1]]],
        [[[-2.495, 1]]],
        [[[2, 1]]],
    ]
    assert told["questions"][1]["truth"] == {"value": -2.5, "tolerance": 0.01}


def test_bounds(a_class: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_STUDENTS", 4)
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 1)
    monkeypatch.setattr(questions, "MOST_ROUNDS", 2)
    rooms.join(a_class.database, a_class.opened.code)
    refused("too_many", rooms.join, a_class.database, a_class.opened.code)
    number = a_class.ask()
    refused("too_many", a_class.ask)
    questions.again(a_class.database, a_class.room, number)
    refused("too_many", questions.again, a_class.database, a_class.room, number)


def test_a_code_that_is_taken_is_not_given_twice(
    a_class: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter([a_class.opened.code, a_class.opened.code, "87654321"])
    monkeypatch.setattr(rooms, "new_code", lambda: next(codes))
    assert rooms.open_room(a_class.database).code == "87654321"


def test_tables_of_another_version_are_not_read(where: Path | str, database: Database) -> None:
    rooms.open_room(database)
    with database.writing() as connection:
        connection.execute(text("UPDATE headlight SET version = 7"))
    again = Database(where)
    words = refused("database", rooms.open_room, again).about
    assert "of version 7" in words and "reads version 1" in words
    again.close()


def test_two_processes_may_make_the_tables_at_once(where: Path | str) -> None:
    both = [Database(where), Database(where)]
    with ThreadPoolExecutor(2) as many:
        codes = {opened.code for opened in many.map(rooms.open_room, both)}
    assert len(codes) == 2
    for each in both:
        each.close()


def test_another_process_is_told_of_a_change(where: Path | str, a_class: Class) -> None:
    other, heard, stop = Database(where), threading.Semaphore(0), threading.Event()
    rooms.who(other, a_class.opened.code, a_class.tokens[0])

    def told(room: int | None) -> None:
        assert room in (None, a_class.room)
        heard.release()

    thread = threading.Thread(target=watch.watch, args=(other, told, stop))
    thread.start()
    try:
        assert heard.acquire(timeout=20)  # it listens
        rooms.show(a_class.database, a_class.room, "/heads")
        assert heard.acquire(timeout=20)
        presence.say(a_class.database, a_class.room, "one", 5)
        assert heard.acquire(timeout=20)
    finally:
        stop.set()
        thread.join(20)
        other.close()
    assert not thread.is_alive()


def test_those_at_other_processes_are_counted_while_these_live(a_class: Class) -> None:
    database, room = a_class.database, a_class.room
    presence.say(database, room, "one", 5)
    presence.say(database, room, "two", 7)
    before = a_class.seen().changes
    presence.say(database, room, "two", 7)
    assert a_class.seen().changes == before

    def seen_by(process: str) -> int:
        found = state.load(database, room, process)
        assert found
        return found.for_teacher(1)["connected"]

    assert (seen_by("one"), seen_by("two"), seen_by("three")) == (8, 6, 13)
    presence.say(database, room, "one", 0)
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    for name, seen, connected in [
        (f"here:{killed.pid}:{socket.gethostname()}", 0, 1),
        (f"there:{killed.pid}:another-machine", presence.GONE - 1, 8),
        (f"there:{killed.pid}:another-machine", presence.GONE + 1, 1),
    ]:
        with database.writing() as connection:
            second = update(Presence).where(Presence.connected == 7)
            connection.execute(second.values(process=name, seen=time.time() - seen))
        assert seen_by("three") == connected
    presence.say(database, 10**6, "one", 5)  # a room that was deleted meanwhile
