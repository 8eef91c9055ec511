"""The SQLite file: concurrent creation, mode, and deletion while it is in use."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, Semaphore, Thread

import pytest

from web.rooms.store import change_listener, rooms
from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError


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


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Database]:
    """A database in a folder that others may read."""
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    database = Database(tmp_path / "rooms.sqlite")
    try:
        rooms.open_room(database)
        yield database
    finally:
        os.umask(before)
        database.close()


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_server_account_may_read_the_files(opened: Database, tmp_path: Path) -> None:
    found = modes(tmp_path)
    assert {"rooms.sqlite", "rooms.sqlite-wal"} <= found.keys() and {*found.values()} == {0o600}
    for file in tmp_path.iterdir():
        file.chmod(0o644)  # as of an earlier version
    again = Database(tmp_path / "rooms.sqlite")
    rooms.open_room(again)
    again.close()
    del (found := modes(tmp_path))["rooms.sqlite.lock"]  # it is empty
    assert {*found.values()} == {0o600}


def test_a_deleted_file_is_noticed_and_replaced(
    opened: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lost = rooms.open_room(opened)
    for file in tmp_path.iterdir():
        file.unlink()
    with pytest.raises(RoomError, match="unknown"):
        rooms.find_member(opened, lost.code, lost.teacher)
    assert "was deleted" in caplog.text
    stored = rooms.open_room(opened)
    other_process = Database(tmp_path / "rooms.sqlite")
    assert rooms.find_member(other_process, stored.code, stored.teacher).student is None
    other_process.close()


def test_a_listener_reports_the_changes_of_a_replaced_file(
    opened: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_listener, "RETRY_DELAY", 0.01)
    reported, stop = Semaphore(0), Event()
    arguments = (opened, lambda room: reported.release(), stop)
    listening = Thread(target=change_listener.listen, args=arguments)
    listening.start()
    assert reported.acquire(timeout=20)  # the start
    for file in tmp_path.iterdir():
        file.unlink()
    for _ in range(2):  # the start with the new file, and a change in it
        rooms.open_room(opened)
        assert reported.acquire(timeout=20)
    stop.set()
    listening.join(20)
