"""The rooms of one server process: database access, rate limits and broadcasts."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar

from web import settings
from web.rooms.api.broadcast import Broadcaster
from web.rooms.api.rate_limits import RateLimits
from web.rooms.store import rooms
from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError

P = ParamSpec("P")
Result = TypeVar("Result")

THREADS = 4
"""For the database alone, as many as it has connections. Streamlit's reruns have their own."""

DELETE_INTERVAL = 3600
"""Seconds between two deletions of expired rooms."""

log = logging.getLogger(__name__)


class RoomService:
    """What the endpoints share.

    Attributes:
        limits: Rate limits on opening and on guessing codes.
        broadcaster: Sends the state of a room to its connected browsers.
    """

    def __init__(self) -> None:
        self.limits = RateLimits()
        self.broadcaster = Broadcaster(self.call)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="rooms")
        self._creating = Lock()
        self._database: Database | None = None
        self._deleting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect to the database if it exists, and delete expired rooms every hour."""
        self._deleting = asyncio.create_task(self._delete_expired_rooms())
        try:
            await self.call(_connect)
        except RoomError as error:
            if error.reason != "unknown":  # a database that does not exist yet
                log.warning("The rooms' database: %s", error.about)

    async def close(self) -> None:
        """Disconnect every browser and close the database."""
        if self._deleting:
            self._deleting.cancel()
        await self.broadcaster.close()
        if self._database:
            await self.call(Database.close)

    async def call(
        self,
        function: Callable[Concatenate[Database, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Call a function of the room storage in a thread.

        Raises:
            RoomError: What the function raises; ``database`` for invalid settings.
        """

        def run() -> Result:
            return function(self._open_database(), *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    async def find_member(self, code: str, token: str, address: str) -> rooms.Member:
        """Return the member that a token belongs to; count an unknown code as a guess.

        Raises:
            RoomError: ``unknown``, ``forbidden``, or ``too_many`` after too many guesses.
        """
        try:
            return await self.call(rooms.find_member, code, token)
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
        try:
            return await self.call(rooms.join, code)
        except RoomError as error:
            if error.reason == "unknown":
                self.limits.count_guess(address)
            raise

    def _open_database(self) -> Database:
        with self._creating:
            if self._database is None:
                self._database = Database(settings.now().rooms_in)
            return self._database

    async def _delete_expired_rooms(self) -> None:
        while True:
            await asyncio.sleep(DELETE_INTERVAL)
            try:
                await self.call(rooms.delete_expired)
            except RoomError as error:
                log.warning("Old rooms were not deleted: %s", error.about)


def _connect(database: Database) -> None:
    with database.single_query():
        pass
