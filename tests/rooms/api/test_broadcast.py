"""Broadcasts: a slow subscriber delays no other, and frequent changes are sent together."""

import asyncio
import json

import pytest

from rooms.api import broadcast
from rooms.api.broadcast import Broadcaster, Subscriber
from rooms.store.rooms import Member
from rooms.store.snapshot import Snapshot


class Room:
    """Replaces the database: one room."""

    def __init__(self) -> None:
        self.version = self.n_loads = 0
        self.answered: dict[int, int] = {}

    async def call(self, function, *args):
        await asyncio.sleep(0)
        return function(self, *args)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    def load(database: Room, room: int) -> Snapshot:
        database.n_loads += 1
        shown = {"ended": False, "change": database.version}
        question, answered = {"id": 3, "kind": "token", "state": "open"}, dict(database.answered)
        return Snapshot(database.version, 4e9, 2, shown, question, answers=answered)

    monkeypatch.setattr("rooms.store.snapshot.load_snapshot", load)
    monkeypatch.setattr(
        "rooms.store.snapshot.load_version", lambda database, room: database.version
    )
    monkeypatch.setattr(broadcast, "PAUSE", 0.02)
    return Room()


async def next_state(subscriber: Subscriber) -> dict:
    async with asyncio.timeout(20):
        taken = await subscriber.next_state()
    assert taken is not None
    return json.loads(taken)


async def until(subscriber: Subscriber, name: str, value: object) -> dict:
    while (state := await next_state(subscriber))[name] != value:
        pass
    return state


def test_a_slow_subscriber_delays_no_other_and_gets_the_newest_state(room: Room) -> None:
    async def lesson() -> None:
        broadcaster = Broadcaster(room.call)
        quick, slow = (broadcaster.subscribe(Member(7, student)) for student in (1, 2))
        for change in range(1, 6):
            room.version = change
            if change != 2:  # another process has made this change
                broadcaster.notify(7)
            await until(quick, "change", change)
        assert (await next_state(slow))["change"] == 5
        assert not slow._unsent.is_set()
        await broadcaster.close()
        assert await quick.next_state() is None

    asyncio.run(lesson())


def test_a_burst_of_changes_is_loaded_a_few_times_and_a_student_sees_their_own(room: Room) -> None:
    async def lesson() -> None:
        broadcaster = Broadcaster(room.call)
        teacher, student = (broadcaster.subscribe(Member(7, who)) for who in (None, 1))
        await next_state(teacher)
        before = room.n_loads
        for number in range(200):
            room.version += 1
            room.answered[number] = number % 3
            broadcaster.notify(7)
            await asyncio.sleep(0.0005)
        while (await next_state(teacher))["question"]["n_answers"] < 200:
            pass
        assert room.n_loads - before < 100
        assert (await until(student, "change", 200))["question"]["answered"] == 1
        read = room.n_loads
        broadcaster.notify(7)  # a notification without a change
        await asyncio.sleep(0.1)
        assert room.n_loads == read
        await broadcaster.close()

    asyncio.run(lesson())


def test_after_an_unexpected_error_the_browsers_connect_again(
    room: Room, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(broadcast, "RETRY_INTERVAL", 0.02)

    async def lesson() -> None:
        broadcaster = Broadcaster(room.call)
        subscriber = broadcaster.subscribe(Member(7, 1))
        await next_state(subscriber)
        with monkeypatch.context() as patched:
            patched.setattr(Snapshot, "for_student", lambda *_: 1 / 0)
            room.version = 1
            broadcaster.notify(7)
            assert await subscriber.next_state() is None
        broadcaster.unsubscribe(subscriber)
        while broadcaster._tasks:  # the room is removed
            await asyncio.sleep(0.01)
        assert not broadcaster._channels
        again = broadcaster.subscribe(Member(7, 1))
        assert (await next_state(again))["change"] == 1
        await broadcaster.close()

    asyncio.run(lesson())
    assert "ZeroDivisionError" in caplog.text
