"""Fixtures: an empty SQLite file, or an empty database of a PostgreSQL server."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.web.rooms.postgresql import new_database, postgresql
from web.rooms.store.database import Database

BOTH = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
"""Runs a test with both databases; other tests use SQLite."""


def storage_settings(where: Path | str) -> dict[str, str]:
    """Return the settings for a database."""
    return {"data": str(where.parent)} if isinstance(where, Path) else {"database": where}


@pytest.fixture(scope="session")
def server() -> Iterator[Callable[[], str]]:
    """Return a function that starts PostgreSQL once and returns its URL."""
    with ExitStack() as running:
        yield cache(lambda: running.enter_context(postgresql()))


@pytest.fixture
def where(request: pytest.FixtureRequest, server: Callable[[], str], tmp_path: Path) -> Path | str:
    """Return the file or the URL of an empty database."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return tmp_path / "a folder?" / "rooms.sqlite"
    return new_database(server())


@pytest.fixture
def database(where: Path | str) -> Iterator[Database]:
    opened = Database(where)
    yield opened
    opened.close()
