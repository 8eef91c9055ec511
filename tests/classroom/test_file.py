"""SQLite's file: made once, whoever comes first."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from classroom import rooms
from classroom.database import Database


def test_a_file_made_by_many_at_once_refuses_none(tmp_path: Path) -> None:
    def opened(where: Path) -> str:
        database = Database(where)
        at_once.wait(20)
        try:
            return rooms.open_room(database).code
        finally:
            database.close()

    # One moment in twenty was enough to be refused.
    at_once = Barrier(4)
    with ThreadPoolExecutor(4) as many:
        for attempt in range(20):
            where = tmp_path / str(attempt) / "rooms.db"
            assert len(set(many.map(opened, [where] * 4))) == 4
