"""One room, many screens: each change is read once and goes to everybody who listens.

What changes again before it was sent is sent once, and nobody waits for a slow line: each has its
own sender, which always takes the newest.
"""

import asyncio
import json
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from classroom.errors import RoomError

if TYPE_CHECKING:
    from classroom.database import Database
    from classroom.rooms import Person
    from classroom.state import Snapshot

PAUSE = 0.2
"""Seconds between two states of a room, while it changes all the time."""

EVERY = 5.0
"""Seconds after which other processes are told again how many are here."""

OFTEN = 1.0
"""Seconds after which they are told that it is another number."""

LINES = 6
"""That one person may hold; the oldest gives way."""

LEAVING = 2.0
"""Seconds that a server which stops waits for what listens to the database."""

log = logging.getLogger(__name__)


class Line:
    """What is on its way to one browser: the newest state, until its sender takes it."""

    def __init__(self, person: "Person") -> None:
        self.person = person
        self.closed = False
        self._last = ""
        self._fresh = asyncio.Event()

    def put(self, state: str) -> None:
        """A newer state, if it is another."""
        if state != self._last:
            self._last = state
            self._fresh.set()

    def close(self) -> None:
        """Nothing more comes."""
        self.closed = True
        self._fresh.set()

    async def take(self) -> str | None:
        """The newest state, once there is one that was not taken; None: no more come."""
        await self._fresh.wait()
        self._fresh.clear()
        return None if self.closed else self._last


class _Room:
    """A room that somebody here listens to."""

    def __init__(self) -> None:
        self.lines: dict[Line, None] = {}
        self.changed = asyncio.Event()
        self.snapshot: Snapshot | None = None
        self.read = 0.0
        self.told: tuple[int, float] = (-1, 0.0)  # how many are here, and when it was said

    def connected(self) -> int:
        """Students here: whoever has two windows open is one."""
        students = {line.person.student for line in self.lines}
        return len(students - {None})

    def push(self, lines: Iterable[Line]) -> None:
        """Hand the newest state to some lines."""
        if not self.snapshot:
            return
        teacher = json.dumps(self.snapshot.for_teacher(self.connected()))
        students: dict[Any, str] = {}  # nearly all of them see the same
        for line in lines:
            number = line.person.student
            if number is None:
                line.put(teacher)
                continue
            key = json.dumps(self.snapshot.answered.get(number))
            if key not in students:
                students[key] = json.dumps(self.snapshot.for_student(number))
            line.put(students[key])


class Fanout:
    """Every line of a server process.

    Args:
        call: Works with the database, in a thread.
    """

    def __init__(self, call: Callable[[Callable[["Database"], Any]], Awaitable[Any]]) -> None:
        self._call = call
        self._rooms: dict[int, _Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._desk = secrets.token_hex(4)
        self._stop: threading.Event | None = None
        self._watching: threading.Thread | None = None

    def add(self, person: "Person") -> Line:
        """A line to somebody; the whole state is on it as soon as it is known."""
        line = Line(person)
        room = self._rooms.get(person.room)
        if room is None:
            room = self._rooms[person.room] = _Room()
            self._start(self._keep(person.room, room))
        theirs = [each for each in room.lines if each.person == person]
        for oldest in theirs[: len(theirs) + 1 - LINES]:
            oldest.close()
        room.lines[line] = None
        if room.snapshot and not room.changed.is_set():
            room.push([line])
        room.changed.set()
        if self._stop is None:
            self._stop = threading.Event()
            self._start(self._watch(self._stop))
        return line

    def remove(self, line: Line) -> None:
        """Somebody left."""
        room = self._rooms[line.person.room]
        room.lines.pop(line, None)
        room.changed.set()

    def changed(self, number: int | None) -> None:
        """A room may have changed; None: any may."""
        for room in self._rooms.values() if number is None else [self._rooms.get(number)]:
            if room:
                room.changed.set()

    async def close(self) -> None:
        """Let everybody go."""
        for room in self._rooms.values():
            for line in room.lines:
                line.close()
        if self._stop:
            self._stop.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._watching:
            await asyncio.to_thread(self._watching.join, LEAVING)
        for number in list(self._rooms):
            with suppress(RoomError):
                await self._say(number, 0)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _keep(self, number: int, room: _Room) -> None:
        """Send what changes, until nobody listens any more."""
        while room.lines:
            room.changed.clear()
            try:
                await self._refresh(number, room)
                await self._say_how_many(number, room)
            except RoomError as failed:
                log.warning("A room was not read: %s", failed.about)
                room.changed.set()  # once more, a little later
                await asyncio.sleep(OFTEN)
            await asyncio.sleep(PAUSE)
            await _either(room.changed, _rest(room))
        del self._rooms[number]
        if not self._rooms and self._stop:
            self._stop.set()
            self._stop = None
        with suppress(RoomError):
            await self._say(number, 0)

    async def _refresh(self, number: int, room: _Room) -> None:
        """Read the room if it is another than what is known of it, and send it."""
        known, now = room.snapshot, time.time()
        # Who is at another process is looked at now and then in any case: it may have died.
        sure = known is not None and now - room.read < EVERY and not known.over()

        def look(database: "Database") -> "Snapshot | None":
            from classroom.state import changes, load

            if known and sure and changes(database, number) == known.changes:
                return known
            return load(database, number, self._desk)

        room.snapshot = await self._call(look)
        if room.snapshot is not known:
            room.read = now
        if room.snapshot is None:  # deleted
            for line in room.lines:
                line.close()
        room.push(room.lines)

    async def _say_how_many(self, number: int, room: _Room) -> None:
        here, now = room.connected(), time.time()
        before, when = room.told
        if now - when >= (EVERY if here == before else OFTEN):
            room.told = (here, now)
            await self._say(number, here)
        elif here != before:
            room.changed.set()

    async def _say(self, number: int, here: int) -> None:
        def say(database: "Database") -> None:
            from classroom.presence import say

            say(database, number, self._desk, here)

        await self._call(say)

    async def _watch(self, stop: threading.Event) -> None:
        """Hear of what other processes change, while anybody listens."""
        loop = asyncio.get_running_loop()

        def told(number: int | None) -> None:
            if not stop.is_set():
                loop.call_soon_threadsafe(self.changed, number)

        def run(database: "Database") -> None:
            from classroom.watch import watch

            self._watching = threading.Thread(
                target=watch, args=(database, told, stop), daemon=True
            )
            self._watching.start()

        await self._call(run)


def _rest(room: _Room) -> float:
    """Seconds after which there is something to do though nothing was heard."""
    if room.snapshot is None or room.snapshot.room["ended"]:
        return EVERY
    return min(EVERY, max(0.0, room.snapshot.ends - time.time()))


async def _either(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, though not for ever."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
