"""The rooms of one server process: database access, rate limits and broadcasts."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from rooms.api.app import Site
from rooms.api.broadcast import Broadcaster
from rooms.api.rate_limits import RateLimits
from rooms.store import rooms
from rooms.store.database import Database
from rooms.store.errors import NotAdmittedError, RoomError
from web import settings

Result = TypeVar("Result")

THREADS = 4  # for reads, and as many for writes: together as many as the database has connections
MODEL_THREADS = 16
"""For requests that compute with a model. Most of them wait in the queue of forward passes."""

MODEL_REQUESTS = 4
"""Requests of one network that compute with a model at the same time; more of them wait."""

DELETE_INTERVAL = 3600  # seconds between two deletions of expired rooms

log = logging.getLogger(__name__)


class RoomService:
    """What the endpoints share; ``site`` may import the models."""

    def __init__(self, site: Callable[[], Site]) -> None:
        self._site = site
        self.limits = RateLimits()
        self.broadcaster = Broadcaster(self.read)
        self._reads = ThreadPoolExecutor(THREADS, thread_name_prefix="room-reads")
        # SQLite has one writer at a time. Reads do not wait for it.
        n_writers = 1 if isinstance(settings.now().rooms_in, Path) else THREADS
        self._writes = ThreadPoolExecutor(n_writers, thread_name_prefix="room-writes")
        self._model_threads = ThreadPoolExecutor(MODEL_THREADS, thread_name_prefix="room-models")
        self._model_requests = WeakValueDictionary[str, asyncio.Semaphore]()
        self._creating = Lock()
        self._database: Database | None = None
        self._deleting = asyncio.create_task(self._delete_expired_rooms())

    async def close(self) -> None:
        """Disconnect every browser and close the database."""
        self._deleting.cancel()
        await self.broadcaster.close()
        await asyncio.to_thread(self._close_database)

    def _close_database(self) -> None:
        for pool in (self._reads, self._writes):
            pool.shutdown()  # a cancelled read may still use its connection
        if self._database:
            self._database.close()

    async def read(self, function: Callable[..., Result], *args: Any) -> Result:
        """Call a function of the room storage that only reads, in a thread."""
        return await self._in_thread(self._reads, lambda: function(self._open_database(), *args))

    async def write(self, function: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
        """Call a function of the room storage that writes, in a thread."""
        try:
            return await self._in_thread(
                self._writes, lambda: function(self._open_database(), *args, **kwargs)
            )
        except RoomError as error:
            if error.reason == "database":
                log.warning("The rooms' database: %s", error.about)
            raise

    async def change(
        self, function: Callable[..., Result], member: rooms.Member, *args: Any, **kwargs: Any
    ) -> Result:
        """Call a function that changes a member's room, and notify the browsers of the room."""
        result = await self.write(function, member.room, *args, **kwargs)
        self.broadcaster.notify(member.room)
        return result

    async def compute(self, network: str, function: Callable[..., Result], *args: Any) -> Result:
        """Call a function that computes with a model and the site, in a thread.

        The queue of forward passes serves each ``network`` in turn; RoomError ``too_many`` if it
        is full.
        """

        def run() -> Result:
            # The models take seconds to import. The other requests do not wait for them.
            from web.inference.forward_queue import BusyError, turns_of

            try:
                with turns_of(network):
                    return function(self._site(), *args)
            except BusyError as error:
                raise RoomError("too_many") from error

        own = asyncio.Semaphore(MODEL_REQUESTS)
        async with self._model_requests.setdefault(network, own):
            return await self._in_thread(self._model_threads, run)

    @staticmethod
    async def _in_thread(pool: ThreadPoolExecutor, run: Callable[[], Result]) -> Result:
        # The context has the language of the request.
        return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, run)

    async def find_member(self, code: str, token: str, address: str) -> rooms.Member:
        """Return the member that a token belongs to; RoomError if there is none."""
        return await self._guess(address, rooms.find_member, code, token)

    async def _guess(self, address: str, find: Callable[..., Result], *arguments: Any) -> Result:
        """Look up a code, and count an unknown one; RoomError ``too_many`` after many."""
        try:
            return await self.read(find, *arguments)
        except RoomError as error:
            if error.reason == "database":
                raise
            # After too many guesses, a right and a wrong code get the same response.
            if not self.limits.may_guess(address):
                raise RoomError("too_many") from error
            if error.reason == "unknown":
                self.limits.count_guess(address)
            raise

    async def join(self, code: str, token: str | None, address: str) -> str:
        """Return the token of a student: the given one if it is valid, or else a new one."""
        if token:
            try:
                if (await self.find_member(code, token, address)).student is not None:
                    return token
            except RoomError as error:
                if error.reason != "forbidden":
                    raise
        if not self.limits.may_guess(address):
            raise RoomError("too_many")
        return await self._guess(address, rooms.join, code)

    async def connect(self, code: str, token: str, address: str) -> rooms.Member:
        """Return the member that opens a socket; a student's first one stores and counts them."""
        try:
            return await self.find_member(code, token, address)
        except NotAdmittedError:
            self.limits.count_student(code, address)
            member = await self.write(rooms.admit, code, token)
            self.broadcaster.notify(member.room)
            return member

    def _open_database(self) -> Database:
        with self._creating:
            if self._database is None:
                self._database = Database(settings.now().rooms_in)
            return self._database

    async def _delete_expired_rooms(self) -> None:
        while True:
            await asyncio.sleep(DELETE_INTERVAL)
            try:
                await self.write(rooms.delete_expired)
            except RoomError as error:
                log.warning("Old rooms were not deleted: %s", error.about)
