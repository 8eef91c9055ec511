"""What a server process has of the rooms: their database, its limits, its open lines."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from classroom.errors import RoomError
from pages.classroom.fanout import Fanout
from pages.classroom.limits import Limits
from pages.shared import settings

if TYPE_CHECKING:  # the first page of a fresh server does not wait for it
    from classroom.database import Database
    from classroom.rooms import Person

Found = TypeVar("Found")

THREADS = 4
"""As many as the database is asked by at once; never those that pages are drawn in."""

SWEEP = 3600
"""Seconds between two looks for rooms that ended long ago."""

log = logging.getLogger(__name__)


class Desk:
    """One for each server process, open while it runs.

    Attributes:
        limits: On guessing and opening.
        lines: To everybody who listens.
    """

    def __init__(self) -> None:
        self.limits = Limits()
        self.lines = Fanout(self.call)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="rooms")
        self._opening = Lock()
        self._database: Database | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open what there is; delete what is old now and then; at the end, let go of everything."""
        await self._look()
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await self.lines.close()
            if self._database:
                await self.call(lambda database: database.close())

    async def call(self, work: Callable[["Database"], Found]) -> Found:
        """Work with the database, in a thread of its own.

        Raises:
            RoomError: What the work raises; ``database`` where there is none to work with.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: work(self._opened()))

    async def who(self, code: str, token: str, address: str) -> "Person":
        """Whose token it is; a code that no room has counts as a guess.

        Raises:
            RoomError: ``unknown``, ``forbidden``, or ``too_many`` were guessed.
        """

        def look(database: "Database") -> "Person":
            from classroom.rooms import who

            try:
                return who(database, code, token)
            except RoomError as refused:
                if refused.reason == "database":
                    raise
                # From here on even a right code is told nobody.
                if not self.limits.may_guess(address):
                    raise RoomError("too_many") from refused
                if refused.reason == "unknown":
                    self.limits.wrong(address)
                raise

        return await self.call(look)

    async def join(self, code: str, token: str | None, address: str) -> str:
        """Take part in a room; as `classroom.rooms.join`, behind the limits."""
        if token:
            try:
                if (await self.who(code, token, address)).student is not None:
                    return token
            except RoomError as refused:
                if refused.reason != "forbidden":
                    raise

        def enter(database: "Database") -> str:
            from classroom.rooms import join

            if not self.limits.may_guess(address):
                raise RoomError("too_many")
            try:
                return join(database, code)
            except RoomError as refused:
                if refused.reason == "unknown":
                    self.limits.wrong(address)
                raise

        return await self.call(enter)

    def _opened(self) -> "Database":
        from classroom.database import Database

        with self._opening:
            if self._database is None:
                self._database = Database(settings.now().rooms_in)
            return self._database

    async def _look(self) -> None:
        """Where there may be rooms, whoever comes back to one does not wait for imports."""
        where = settings.now().rooms_in
        if not settings.now().rooms or (isinstance(where, Path) and not where.exists()):
            return

        def look(database: "Database") -> None:
            with database.glancing():
                pass

        try:
            await self.call(look)
        except RoomError as failed:
            if failed.reason != "unknown":  # of no room yet
                log.warning("The rooms' database: %s", failed.about)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            if settings.now().rooms:
                try:
                    await self.call(_delete_old)
                except RoomError as failed:
                    log.warning("Old rooms were not deleted: %s", failed.about)


def _delete_old(database: "Database") -> None:
    from classroom.rooms import delete_old

    delete_old(database)
