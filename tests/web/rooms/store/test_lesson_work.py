"""A lesson in a stored room: plan, pace, pause, the students' work, names and notes."""

import csv
import io

import pytest
from sqlalchemy import func, select

from tests.web.rooms.conftest import BOTH
from tests.web.rooms.store.test_rooms import NASTY, Classroom
from web.rooms.store import lesson_work, rooms
from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError
from web.rooms.store.tables import Work

pytestmark = BOTH

PLAN = {"lesson": "masks", "title": "Masks", "views": ["/?lesson=masks.1", "/?a", "/layers?b"]}


@pytest.fixture
def classroom(database: Database) -> Classroom:
    return Classroom(database, 3)


def work(classroom: Classroom, student: int, step: int, answer: str, outcome: str, **more) -> None:
    fields = {"lesson": "masks", "view": f"/?step={step}", **more}
    lesson_work.store_work(
        classroom.database,
        classroom.room,
        classroom.students[student],
        step=step,
        answer=answer,
        outcome=outcome,
        **fields,
    )


def table(classroom: Classroom) -> list[dict]:
    return lesson_work.load_work(classroom.database, classroom.room)["students"]


def test_a_plan_opens_steps_and_sets_students_on_their_own(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    lesson_work.set_plan(database, room, PLAN, first=2, last=3)
    for state in (classroom.snapshot().for_teacher(0), classroom.snapshot().for_student(1)):
        assert state["plan"] == {**PLAN, "first": 2, "last": 3}
        assert state["apart"]
        assert state["view"] is None  # several steps are open
    for first, last in ((0, 1), (3, 2), (1, 4)):
        with pytest.raises(RoomError) as refused:
            lesson_work.set_plan(database, room, PLAN, first=first, last=last)
        assert refused.value.reason == "bad"
    change = state["change"]
    lesson_work.set_plan(database, room, PLAN, first=2, last=2)
    state = classroom.snapshot().for_teacher(0)
    assert (state["view"], state["change"]) == (PLAN["views"][1], change + 1)
    lesson_work.set_plan(database, room, None, first=1, last=1)
    state = classroom.snapshot().for_student(1)
    assert state["plan"] is None and not state["apart"]


def test_a_pause_has_a_message_and_ends(classroom: Classroom) -> None:
    for message in (NASTY, "", None):
        lesson_work.set_pause(classroom.database, classroom.room, message)
        assert classroom.snapshot().for_student(1)["paused"] == message


def test_work_is_the_newest_answer_and_repeats_change_nothing(classroom: Classroom) -> None:
    lesson_work.set_plan(classroom.database, classroom.room, PLAN, first=1, last=1)
    work(classroom, 1, 1, "", "seen")
    assert table(classroom)[1]["work"] == {1: ["", "seen", 0]}
    for answer, outcome in (("cat", "wrong"), ("cat", "wrong"), ("dog", "right")):
        work(classroom, 1, 1, answer, outcome)
    work(classroom, 1, 1, "", "seen", view="/?again")
    work(classroom, 1, 2, "", "seen")
    work(classroom, 2, 1, "7", "right", lesson="another")
    first, second, third = table(classroom)
    assert first["work"] == {} and first["view"] is None
    assert second["work"] == {1: ["dog", "right", 2], 2: ["", "seen", 0]}
    assert (second["number"], second["step"], second["view"]) == (2, 2, "/?step=2")
    assert third["work"] == {}  # of another lesson than the room's


def test_a_step_that_no_lesson_has_and_too_many_lessons_are_refused(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in (0, -1, lesson_work.MAX_STEPS + 1):
        with pytest.raises(RoomError) as refused:
            work(classroom, 0, step, "", "seen")
        assert refused.value.reason == "bad"
    monkeypatch.setattr(lesson_work, "MAX_LESSONS", 2)
    work(classroom, 0, 1, "", "seen", lesson="one")
    work(classroom, 0, 1, "", "seen", lesson="two")
    with pytest.raises(RoomError) as refused:
        work(classroom, 0, 1, "", "seen", lesson="three")
    assert refused.value.reason == "full"
    work(classroom, 0, 2, "", "seen", lesson="two")
    work(classroom, 1, 1, "", "seen", lesson="three")  # a limit for each student


def test_names_and_notes_belong_to_one_student(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    lesson_work.set_name(database, room, classroom.students[0], "Ada")
    lesson_work.send_note(database, room, {1, 3, 99}, NASTY)
    assert [(each["name"], each["note"]) for each in table(classroom)] == [
        ("Ada", NASTY),
        (None, None),
        (None, NASTY),
    ]
    states = [classroom.snapshot().for_student(student) for student in classroom.students]
    assert [state["note"] for state in states] == [NASTY, None, NASTY]
    assert "note" not in classroom.snapshot().for_teacher(0)
    lesson_work.send_note(database, room, {1}, "")
    lesson_work.set_name(database, room, classroom.students[0], "")
    assert (table(classroom)[0]["name"], table(classroom)[0]["note"]) == (None, None)


def test_the_file_has_every_lesson_and_no_formula(classroom: Classroom) -> None:
    lesson_work.set_name(classroom.database, classroom.room, classroom.students[1], "=1+1")
    work(classroom, 1, 2, "@x", "wrong", view="/?text=%2C")
    work(classroom, 0, 1, "7", "right", lesson="another")
    text = lesson_work.work_csv(classroom.database, classroom.room, "https://example.org/")
    first, second = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert (first["lesson"], first["student"], first["outcome"]) == ("another", "1", "right")
    assert second["link"] == "https://example.org/?text=%2C"
    assert (second["name"], second["answer"]) == ("\u200b=1+1", "\u200b@x")


def test_numbers_follow_the_order_of_joining(classroom: Classroom) -> None:
    Classroom(classroom.database, 2)
    numbers = [
        lesson_work.student_number(classroom.database, classroom.room, student)
        for student in classroom.students
    ]
    assert numbers == [1, 2, 3]


def test_a_deleted_room_has_no_work_left(classroom: Classroom) -> None:
    work(classroom, 1, 1, "dog", "right")
    rooms.delete_room(classroom.database, classroom.room)
    with classroom.database.read_transaction() as connection:
        assert connection.execute(select(func.count()).select_from(Work)).scalar_one() == 0
