"""Broadcast of each room's state to its connected browsers.

A change is read from the database once. Changes within PAUSE are sent as one state. Those of other
processes are found by polling. Each browser has its own sender, which skips outdated states, so a
slow browser delays no other.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from rooms.store import snapshot
from rooms.store.errors import RoomError
from rooms.store.rooms import Member

PAUSE = 0.2  # seconds between two states of a room
POLL_INTERVAL = 0.25  # seconds after which a room is checked for changes of other processes
RETRY_INTERVAL = 1.0  # seconds until a failed read is repeated

log = logging.getLogger(__name__)


class Subscriber:
    """A connected browser: holds the newest state until it is sent."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.closed = False
        self._newest = ""
        self._unsent = asyncio.Event()

    def put(self, state: str) -> None:
        """Replace the newest state, if the new one differs."""
        if state != self._newest:
            self._newest = state
            self._unsent.set()

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._unsent.set()

    async def next_state(self) -> str | None:
        """Wait for an unsent state and return the newest one; None after the end."""
        await self._unsent.wait()
        self._unsent.clear()
        return None if self.closed else self._newest


class _Channel:
    """A room with subscribers in this process."""

    def __init__(self) -> None:
        self.subscribers: dict[Subscriber, None] = {}  # in order of subscription
        self.changed = asyncio.Event()
        self.state: snapshot.Snapshot | None = None

    def send(self, subscribers: Iterable[Subscriber]) -> None:
        """Give the newest state to some subscribers."""
        if not self.state:
            return
        teacher = json.dumps(self.state.for_teacher())
        shared: dict[str, str] = {}  # students with the same answer see the same state
        for subscriber in subscribers:
            student = subscriber.member.student
            if student is None:
                subscriber.put(teacher)
                continue
            own = json.dumps(self.state.answers.get(student))
            if own not in shared:
                shared[own] = json.dumps(self.state.for_student(student))
            subscriber.put(shared[own])

    def close_subscribers(self) -> None:
        for subscriber in self.subscribers:
            subscriber.close()


class Broadcaster:
    """Every subscriber of a server process; ``read`` calls the storage in a thread."""

    def __init__(self, read: Callable[..., Awaitable[Any]]) -> None:
        self._read = read
        self._channels: dict[int, _Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def subscribe(self, member: Member) -> Subscriber:
        """Add a subscriber, which receives the whole state first."""
        subscriber = Subscriber(member)
        channel = self._channels.get(member.room)
        if channel is None:
            channel = self._channels[member.room] = _Channel()
            task = asyncio.create_task(self._serve(member.room, channel))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        channel.subscribers[subscriber] = None
        if not channel.changed.is_set():
            channel.send([subscriber])
        channel.changed.set()
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Remove a subscriber."""
        channel = self._channels[subscriber.member.room]
        channel.subscribers.pop(subscriber, None)
        channel.changed.set()

    def notify(self, room: int) -> None:
        """Check a room for changes now."""
        if channel := self._channels.get(room):
            channel.changed.set()

    async def close(self) -> None:
        """Disconnect every subscriber and stop every task."""
        for channel in self._channels.values():
            channel.close_subscribers()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, room: int, channel: _Channel) -> None:
        """Send the changes of a room until it has no subscribers."""
        while channel.subscribers:
            channel.changed.clear()
            try:
                await self._refresh(room, channel)
            except RoomError as error:
                log.warning("A room was not read: %s", error.about or error.reason)
                channel.changed.set()  # try again
                await asyncio.sleep(RETRY_INTERVAL)
            except Exception:
                log.exception("The state of a room was not sent.")
                channel.close_subscribers()  # they show that, and connect again
                await asyncio.sleep(RETRY_INTERVAL)
            await asyncio.sleep(PAUSE)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_INTERVAL):
                    await channel.changed.wait()
        del self._channels[room]

    async def _refresh(self, room: int, channel: _Channel) -> None:
        """Load the room if it has changed, and send its state."""
        known = channel.state
        if (
            known is None
            or known.is_outdated()
            or await self._read(snapshot.load_version, room) != known.version
        ):
            channel.state = await self._read(snapshot.load_snapshot, room)
        if channel.state is None:  # the room was deleted
            channel.close_subscribers()
        channel.send(channel.subscribers)
