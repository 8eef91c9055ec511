"""What a teacher collects in a stored room: the list, and the comparison of its entries."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tests.web.rooms.conftest import BOTH
from tests.web.rooms.store.test_rooms import NASTY, Classroom, refused
from web.rooms.store import collection, questions, rooms
from web.rooms.store.database import Database

pytestmark = BOTH

MASK = {"kind": "mask", "items": {"tokens": ["a", "b"]}, "truth": {"right": [["10", "11"]]}}


@pytest.fixture
def classroom(database: Database) -> Classroom:
    return Classroom(database, 4)


def add(classroom: Classroom, label: str, view: str = "/layers") -> None:
    collection.collect_view(classroom.database, classroom.room, label, view)


def listed(classroom: Classroom) -> list[dict[str, Any]]:
    return collection.load_collection(classroom.database, classroom.room)


def labels(classroom: Classroom) -> list[str]:
    return [each["label"] for each in listed(classroom)]


def collect_results(classroom: Classroom, question: int, answer: int | None = None) -> None:
    act = collection.collect_results
    act(classroom.database, classroom.room, "results", question, answer)


def show_all(classroom: Classroom) -> None:
    ids = [each["id"] for each in listed(classroom)]
    collection.compare(classroom.database, classroom.room, ids)


def compared(classroom: Classroom) -> list[dict[str, Any]]:
    """Return the comparison; no student receives it."""
    state = classroom.snapshot()
    for student in classroom.students:
        assert {"collected", "compared"}.isdisjoint(state.for_student(student))
    return state.for_teacher(0)["compared"]


def test_the_list_is_named_ordered_and_shown_side_by_side(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    other = Classroom(database, 1)
    add(other, "elsewhere")
    (elsewhere,) = (each["id"] for each in listed(other))
    for label in ("one", "two", "three", "four"):
        add(classroom, label, f"/heads?text={label}")
    add(classroom, "one", "/heads?text=one")  # the list has it already
    assert labels(classroom) == ["one", "two", "three", "four"]
    one, two, three, four = (each["id"] for each in listed(classroom))
    for item, by in ((four, -1), (one, 1), (one, 1), (two, -1), (one, 1), (one, 1), (elsewhere, 1)):
        collection.move_collected(database, room, item, by)
    assert labels(classroom) == ["two", "four", "three", "one"]
    for item in (four, elsewhere):
        collection.rename_collected(database, room, item, NASTY)
    assert compared(classroom) == []
    collection.compare(database, room, [one, four, elsewhere])
    shown = [
        {"id": four, "label": NASTY, "view": "/heads?text=four"},
        {"id": one, "label": "one", "view": "/heads?text=one"},
    ]
    assert compared(classroom) == shown
    assert compared(other) == []
    refused("bad", collection.compare, database, room, [one, two, three, four])
    for item in (one, elsewhere):
        collection.remove_collected(database, room, item)
    assert compared(classroom) == shown[:1]
    assert labels(classroom) == ["two", NASTY, "three"]
    add(classroom, "five")
    assert labels(classroom)[-1] == "five"
    collection.compare(database, room, [])
    assert compared(classroom) == []
    assert labels(other) == ["elsewhere"]
    rooms.end_room(database, room)
    refused("ended", add, classroom, "six")


def test_the_state_says_when_the_list_has_changed(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room

    def version() -> int:
        return classroom.snapshot().for_teacher(0)["collected"]

    seen = [version()]
    for label in ("one", "two"):
        add(classroom, label)
        seen.append(version())
    first, second = (each["id"] for each in listed(classroom))
    collection.move_collected(database, room, second, -1)
    seen.append(version())
    collection.rename_collected(database, room, first, "a")
    seen.append(version())
    collection.remove_collected(database, room, second)
    seen.append(version())
    assert len(set(seen)) == len(seen)
    classroom.answer(classroom.ask(), 0, [1, 2])
    show_all(classroom)
    assert version() == seen[-1]


def test_results_follow_the_question_and_have_the_truth_after_the_reveal_only(
    classroom: Classroom,
) -> None:
    database, room = classroom.database, classroom.room
    asked = classroom.ask(items={"layers": 2, "heads": 3, "reasons": True}, prompt=NASTY)
    classroom.answer(asked, 0, [1, 2], confidence=0, reason="secret")
    refused("bad", collect_results, classroom, asked)  # it is open
    questions.stop_answers(database, room, asked)
    collect_results(classroom, asked)
    show_all(classroom)

    def shown() -> dict[str, Any]:
        (item,) = compared(classroom)
        assert "secret" not in repr(item)
        return item["question"]

    assert (shown()["prompt"], shown()["tally"]) == (NASTY, [[[1, 2], 1]])
    assert {"truth", "confidence", "moves", "changes"}.isdisjoint(shown())
    questions.reveal(database, room, asked)
    assert shown()["truth"] == {"right": [[1, 2]]}
    assert shown()["confidence"] == [[1, 0, 0], [0, 0, 0]]
    questions.start_round(database, room, asked)
    classroom.answer(asked, 0, [0, 0], round_=2)
    assert shown()["earlier"] == [[[[1, 2], 1]]]
    assert {"truth", "tally", "changes"}.isdisjoint(shown())  # the class votes
    classroom.ask()  # which closes the second round
    assert shown()["tally"] == [[[0, 0], 1]]
    assert "truth" not in shown()


def test_results_have_only_those_sentences_that_the_class_may_read(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    asked = classroom.ask(kind="sentence", items={"layer": 0}, truth={"right": []})
    words = {"query": [0, 1], "key": [2, 3], "linked": True}
    for student, weight in enumerate((0.25, 0.5)):
        text = f"A {'bc'[student]}"
        classroom.answer(asked, student, {"text": text, "weight": weight, **words})
    ids = [each["id"] for each in classroom.snapshot().for_teacher(2)["question"]["texts"]]
    questions.reveal(database, room, asked)
    refused("bad", collect_results, classroom, asked, ids[0])  # a sentence is no sketch
    collect_results(classroom, asked)
    show_all(classroom)

    def read() -> list[str]:
        (item,) = compared(classroom)
        assert item["question"]["tally"] == [[[0.25, True], 1], [[0.5, True], 1]]
        return [each["answer"]["text"] for each in item["question"]["texts"]]

    assert read() == []
    questions.show_texts(database, room, asked, ids[1:], shown=True)
    assert read() == ["A c"]
    questions.show_texts(database, room, asked, None, shown=False)
    assert read() == []


def test_a_sketch_is_collected_without_its_student(classroom: Classroom) -> None:
    database, room = classroom.database, classroom.room
    asked = classroom.ask(**MASK)
    for student, mask in enumerate((["10", "10"], ["10", "11"])):
        classroom.answer(asked, student, mask)
    questions.stop_answers(database, room, asked)
    sketches = collection.load_sketches(database, room, asked)
    assert [each["answer"] for each in sketches] == [["10", "10"], ["10", "11"]]
    for each in (*sketches, sketches[0]):
        collect_results(classroom, asked, each["id"])
    show_all(classroom)
    first, second = compared(classroom)
    assert first.keys() == {"id", "label", "question", "sketch"}
    assert (first["sketch"], second["sketch"]) == (["10", "10"], ["10", "11"])
    assert "truth" not in first["question"]
    questions.start_round(database, room, asked)
    assert collection.load_sketches(database, room, asked) == []
    assert [each["sketch"] for each in compared(classroom)] == [["10", "10"], ["10", "11"]]

    other = Classroom(database, 1)
    assert collection.load_sketches(database, other.room, asked) == []
    plain = classroom.ask()
    classroom.answer(plain, 0, [1, 2])
    questions.reveal(database, room, plain)
    assert collection.load_sketches(database, room, plain) == []
    for question, answer in ((plain, sketches[0]["id"]), (plain, 99), (99, None)):
        refused("bad", collect_results, classroom, question, answer)
    refused("bad", collect_results, other, plain)


def test_devices_that_collect_at_once_lose_nothing_until_the_list_is_full(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "MAX_COLLECTED", 12)
    names = [f"{number}" for number in range(12)]
    with ThreadPoolExecutor(4) as devices:
        list(devices.map(partial(add, classroom), names))
    assert sorted(labels(classroom)) == sorted(names)
    refused("full_list", add, classroom, "13")
    collection.remove_collected(classroom.database, classroom.room, listed(classroom)[3]["id"])
    add(classroom, "13")
    assert len(listed(classroom)) == 12
