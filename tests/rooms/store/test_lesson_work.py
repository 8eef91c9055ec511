"""A lesson in a stored room: plan, open step, and the students' first answers."""

import pytest

from rooms.store import lesson_work
from rooms.store.database import Database
from tests.rooms.store.test_rooms import Classroom, refused

PLAN = {"lesson": "masks", "title": "Masks", "views": ["/?lesson=masks.1", "/?a", "/layers?b"]}


@pytest.fixture
def classroom(database: Database) -> Classroom:
    return Classroom(database, 3)


def work(classroom: Classroom, student: int, step: int, answer: str, right: bool, **more) -> None:
    given = {"lesson": "masks", "step": step, "answer": answer, "right": right, **more}
    mine = classroom.students[student]
    lesson_work.store_work(classroom.database, classroom.room, mine, **given)


def tallies(classroom: Classroom) -> list[dict]:
    return classroom.snapshot().for_teacher()["work"]


def test_a_plan_opens_one_step_or_all_and_sets_students_on_their_own(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    lesson_work.set_plan(database, room, PLAN, None)
    state = classroom.snapshot().for_student(1)
    assert (state["plan"], state["mode"]) == ({**PLAN, "step": None}, "free")
    assert state["view"] is None  # several steps are open
    for step in (0, 4):
        refused("bad", lesson_work.set_plan, database, room, PLAN, step)
    lesson_work.set_plan(database, room, PLAN, 2)
    after = classroom.snapshot().for_teacher()
    assert (after["view"], after["change"]) == (PLAN["views"][1], state["change"] + 1)
    lesson_work.set_plan(database, room, None, None)
    state = classroom.snapshot().for_student(1)
    assert state["plan"] is None and state["mode"] == "follow"


def test_the_first_answers_to_each_step_are_counted(classroom: Classroom) -> None:
    assert tallies(classroom) is None
    lesson_work.set_plan(classroom.database, classroom.room, PLAN, 1)
    for student, answer, right in ((0, "cat", False), (0, "dog", True), (1, "dog", True)):
        work(classroom, student, 1, answer, right)
    work(classroom, 2, 1, "cat", False)
    work(classroom, 2, 3, "7", True)
    work(classroom, 2, 1, "7", True, lesson="another")
    counts = [(each["answered"], each["right"]) for each in tallies(classroom)]
    assert counts == [(3, 1), (0, 0), (1, 1)]
    assert "work" not in classroom.snapshot().for_student(classroom.students[0])


def test_a_step_that_no_lesson_has_and_too_many_answers_are_refused(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in (0, lesson_work.MAX_STEPS + 1):
        refused("bad", work, classroom, 0, step, "a", True)
    monkeypatch.setattr(lesson_work, "MAX_ANSWERS", 1)
    work(classroom, 0, 1, "a", True)
    refused("full", work, classroom, 0, 2, "b", True)
    work(classroom, 1, 1, "a", True)  # a limit for each student
