"""The tests of the rooms with PostgreSQL, which run with SQLite on each change."""

from collections.abc import Iterator

import pytest

from tests.nightly import test_servers
from tests.nightly.postgresql import new_database, postgresql
from tests.rooms import conftest
from tests.rooms.api import test_endpoints
from tests.rooms.store import test_lesson_work, test_rooms

for module in (conftest, test_servers, test_endpoints, test_lesson_work, test_rooms):
    globals().update({name: each for name, each in vars(module).items() if name[:2] != "__"})


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.fixture
def where(server: str) -> str:
    """Return the URL of an empty database."""
    return new_database(server)
