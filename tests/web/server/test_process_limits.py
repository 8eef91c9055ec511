"""Limits of a server process: open files and free memory."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from web.server import process_limits
from web.server.process_limits import FILES_PER_PAGE, SERVER_FILES, limit_sessions
from web.settings import Settings

ROOT = Path(__file__).parents[3]

RAISE_FILE_LIMIT = """
import resource
from web.server.process_limits import raise_file_limit

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 2_000))
print(raise_file_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""

FREE_LARGE_BLOCKS = """
import ctypes
from psutil import Process
from web.server import process_limits

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
megabytes = lambda: Process().memory_info().rss / 1e6
allocate = lambda n_bytes: ctypes.memset(libc.malloc(n_bytes), 1, n_bytes)
process_limits.map_large_blocks()
libc.free(allocate(30_000_000))  # by default, glibc raises its threshold here
before = megabytes()
blocks = [(allocate(2_000_000), allocate(2_000)) for _ in range(40)]
allocated = megabytes() - before
for large, _small in blocks:
    libc.free(large)
print(allocated > 75, megabytes() - before < 10)
"""


def run(program: str) -> list[str]:
    """The words that a program prints in a process of its own."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_limit_of_open_files_is_raised_to_the_hard_limit() -> None:
    assert run(RAISE_FILE_LIMIT) == ["2000"] * 3


def test_the_number_of_sessions_is_limited_by_the_open_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Settings(sessions=300)
    files = SERVER_FILES + 300 * FILES_PER_PAGE
    monkeypatch.setattr(process_limits, "raise_file_limit", lambda: files)
    assert limit_sessions(options) is options
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(process_limits, "raise_file_limit", lambda: files - 1)
    assert limit_sessions(options).sessions == 299
    warning = capsys.readouterr().err
    assert "299 pages only" in warning and "1,699 files" in warning
    assert "--sessions allows 300" in warning
    monkeypatch.setattr(process_limits, "raise_file_limit", lambda: 256)
    assert limit_sessions(options).sessions == 1


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc"
)
def test_large_blocks_between_small_ones_return_to_the_system() -> None:
    assert run(FREE_LARGE_BLOCKS) == ["True", "True"]
