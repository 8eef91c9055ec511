"""Databases that are empty: SQLite's, and a PostgreSQL server's of the tests' own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from classroom.database import Database
from tests.classroom.postgresql import new_database, postgresql

BOTH = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
"""Of a test that is to run on either; any other runs on SQLite."""


def kept_in(where: Path | str) -> dict[str, str]:
    """The settings that say where rooms are kept."""
    return {"data": str(where.parent)} if isinstance(where, Path) else {"database": where}


@pytest.fixture(scope="session")
def server() -> Iterator[Callable[[], str]]:
    """PostgreSQL, begun by the first who asks."""
    with ExitStack() as running:
        yield cache(lambda: running.enter_context(postgresql()))


@pytest.fixture
def where(request: pytest.FixtureRequest, server: Callable[[], str], tmp_path: Path) -> Path | str:
    """A database that nothing is in yet."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return tmp_path / "a folder?" / "rooms.sqlite"
    return new_database(server())


@pytest.fixture
def database(where: Path | str) -> Iterator[Database]:
    opened = Database(where)
    yield opened
    opened.close()
