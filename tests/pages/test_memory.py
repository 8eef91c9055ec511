"""What is large and free is given back at once, though something small behind it stays."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# A process of its own: what is told to the C library holds for all of it.
PROGRAM = """
import ctypes
from psutil import Process
from pages.shared import memory

LARGE, SMALL, FIRST = 2_000_000, 2_000, 30_000_000
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


def taken(n_bytes):
    at = libc.malloc(n_bytes)
    ctypes.memset(at, 1, n_bytes)
    return at


def megabytes():
    return Process().memory_info().rss / 1e6


{tell}
libc.free(taken(FIRST))  # from here on glibc takes all that is smaller for small
before = megabytes()
pieces = [(taken(LARGE), taken(SMALL)) for _ in range(40)]
held = megabytes() - before
for large, _ in pieces:
    libc.free(large)
print(held > 75, megabytes() - before < 10)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc"
)
@pytest.mark.parametrize(
    ("tell", "back"), [("memory.keep_apart()", "True"), ("", "False")], ids=["told", "not told"]
)
def test_holes_between_what_stays_go_back(tell: str, back: str) -> None:
    command = [sys.executable, "-c", PROGRAM.replace("{tell}", tell)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", back]
