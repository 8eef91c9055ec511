"""The same tests on SQLite and on PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from classroom.database import Database
from tests.classroom.postgresql import new_database, postgresql

BOTH = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server() -> Iterator[Callable[[], str]]:
    """PostgreSQL, begun by the first who asks."""
    with ExitStack() as running:
        yield cache(lambda: running.enter_context(postgresql()))


@pytest.fixture(params=BOTH)
def where(request: pytest.FixtureRequest, server: Callable[[], str], tmp_path: Path) -> Path | str:
    """A database that nothing is in yet."""
    if request.param == "sqlite":
        return tmp_path / "a folder?" / "rooms.sqlite"
    return new_database(server())


@pytest.fixture
def database(where: Path | str) -> Iterator[Database]:
    opened = Database(where)
    yield opened
    opened.close()
