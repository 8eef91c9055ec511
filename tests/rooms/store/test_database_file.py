"""The SQLite file: concurrent creation and mode."""

import os
import stat
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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_server_account_may_read_the_files(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # a folder that others may read
    before = os.umask(0o022)
    with closing(Database(tmp_path / "rooms.sqlite")) as database:
        rooms.open_room(database)
        found = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    os.umask(before)
    assert {"rooms.sqlite", "rooms.sqlite-wal"} <= found.keys() and {*found.values()} == {0o600}
