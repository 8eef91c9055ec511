"""The SQLite file: concurrent creation and mode."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from rooms.store import rooms
from rooms.store.database import Database


def test_concurrent_creation_of_the_file_succeeds(tmp_path: Path) -> None:
    def open_room(where: Path) -> str:
        with closing(Database(where)) as database:
            barrier.wait(20)
            return rooms.open_room(database).code

    # Without the lock, about one attempt in twenty fails.
    barrier = Barrier(4)
    with ThreadPoolExecutor(4) as threads:
        for attempt in range(20):
            where = tmp_path / str(attempt) / "rooms.db"
            assert len(set(threads.map(open_room, [where] * 4))) == 4


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Database]:
    """A database in a folder that others may read."""
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    with closing(Database(tmp_path / "rooms.sqlite")) as database:
        rooms.open_room(database)
        yield database
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_server_account_may_read_the_files(opened: Database, tmp_path: Path) -> None:
    found = modes(tmp_path)
    assert {"rooms.sqlite", "rooms.sqlite-wal"} <= found.keys() and {*found.values()} == {0o600}
