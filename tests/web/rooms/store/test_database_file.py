"""Concurrent creation of the SQLite file."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from web.rooms.store import rooms
from web.rooms.store.database import Database


def test_concurrent_creation_of_the_file_succeeds(tmp_path: Path) -> None:
    def open_room(where: Path) -> str:
        database = Database(where)
        barrier.wait(20)
        try:
            return rooms.open_room(database).code
        finally:
            database.close()

    # Without the lock, about one attempt in twenty fails.
    barrier = Barrier(4)
    with ThreadPoolExecutor(4) as threads:
        for attempt in range(20):
            where = tmp_path / str(attempt) / "rooms.db"
            assert len(set(threads.map(open_room, [where] * 4))) == 4
