"""One room, many lines: nobody waits for a slow one, and what changes often is sent seldom."""

import asyncio
import json

import pytest

from classroom.rooms import Person
from classroom.state import Snapshot
from pages.classroom import fanout
from pages.classroom.fanout import Fanout, Line


class Room:
    """In place of a database: a room whose view changes."""

    def __init__(self, ends: float = 4e9) -> None:
        self.changes = 0
        self.ends = ends
        self.answered: dict[int, int] = {}
        self.read = 0
        self.said: list[int] = []

    async def call(self, work):
        await asyncio.sleep(0)
        return work(self)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    def load(database: Room, room: int, process: str) -> Snapshot:
        database.read += 1
        shown = {"ended": False, "change": database.changes}
        asked, answered = {"id": 3}, dict(database.answered)
        return Snapshot(database.changes, database.ends, 0, shown, asked, answered=answered)

    def say(database: Room, room: int, process: str, here: int) -> None:
        database.said.append(here)

    monkeypatch.setattr("classroom.state.load", load)
    monkeypatch.setattr("classroom.state.changes", lambda database, room: database.changes)
    monkeypatch.setattr("classroom.presence.say", say)
    monkeypatch.setattr("classroom.watch.watch", lambda database, told, stop: stop.wait(20))
    monkeypatch.setattr(fanout, "PAUSE", 0.02)
    return Room()


async def next_state(line: Line) -> dict:
    async with asyncio.timeout(20):
        taken = await line.take()
    assert taken is not None
    return json.loads(taken)


async def until(line: Line, name: str, value: object) -> dict:
    while (state := await next_state(line))[name] != value:
        pass
    return state


def test_nobody_waits_for_a_slow_line_and_it_gets_the_newest(room: Room) -> None:
    async def lesson() -> None:
        lines = Fanout(room.call)
        quick, slow = (lines.add(Person(7, student)) for student in (1, 2))
        for change in range(1, 6):
            room.changes = change
            lines.changed(7)
            await until(quick, "change", change)
        assert (await next_state(slow))["change"] == 5
        assert not slow._fresh.is_set()
        await lines.close()
        assert await quick.take() is None

    asyncio.run(lesson())


def test_a_burst_of_changes_is_read_a_few_times(room: Room) -> None:
    async def lesson() -> None:
        lines = Fanout(room.call)
        teacher, student = lines.add(Person(7, None)), lines.add(Person(7, 1))
        await until(teacher, "connected", 1)
        before, states = room.read, 0
        for number in range(200):
            room.changes += 1
            room.answered[number] = number % 3
            lines.changed(7)
            await asyncio.sleep(0.0005)
        while (await next_state(teacher))["question"]["n_answers"] < 200:
            states += 1
        assert states <= room.read - before < 100
        # Of a student's own answer, and of nobody else's.
        assert (await until(student, "change", 200))["question"]["answered"] == 1
        await lines.close()

    asyncio.run(lesson())


def test_a_room_that_nobody_listens_to_is_forgotten(room: Room) -> None:
    async def lesson() -> None:
        lines = Fanout(room.call)
        first, second = lines.add(Person(7, 1)), lines.add(Person(7, 1))
        await next_state(first)
        lines.remove(first)
        lines.remove(second)
        while lines._tasks:
            await asyncio.sleep(0.01)
        assert not lines._rooms and room.said == [1, 0]
        again = lines.add(Person(7, 1))
        assert (await next_state(again))["change"] == 0
        await lines.close()
        assert not lines._tasks

    asyncio.run(lesson())


def test_what_is_the_same_is_not_sent_again(room: Room) -> None:
    async def lesson() -> None:
        lines = Fanout(room.call)
        line = lines.add(Person(7, 1))
        await next_state(line)
        read = room.read
        lines.changed(7)  # so somebody says
        await asyncio.sleep(0.1)
        assert room.read == read
        lines.changed(None)
        room.changes, before = 1, room.answered
        before[99] = 2  # of somebody else
        state = await next_state(line)
        assert state["question"]["answered"] is None and state["change"] == 1
        await lines.close()

    asyncio.run(lesson())
