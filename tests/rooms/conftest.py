"""An empty SQLite file for each test; tests/nightly/test_postgresql.py replaces it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rooms.store.database import Database
from tests.pages.conftest import patched, use_one_thread

__all__ = ["patched", "use_one_thread"]


def storage_settings(where: Path | str) -> dict[str, str]:
    """Return the settings for a database."""
    return {"data": str(where.parent)} if isinstance(where, Path) else {"database": where}


@pytest.fixture
def where(tmp_path: Path) -> Path | str:
    """Return the path of a file that does not exist yet."""
    return tmp_path / "a folder?" / "rooms.sqlite"


@pytest.fixture
def database(where: Path | str) -> Iterator[Database]:
    opened = Database(where)
    yield opened
    opened.close()
