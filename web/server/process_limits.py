"""Limits of a server process: open files, free memory, and garbage collection."""

import ctypes
import gc
import sys
from contextlib import suppress

MAX_FILES = 65_536
"""The limit that the server requests."""


def raise_file_limit() -> int:
    """Raise this process's limit of open files as far as allowed; returns the limit.

    A page takes four: its WebSocket, and three of the event loop of its session.
    """
    if sys.platform == "win32":
        return MAX_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_FILES
    allowed = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    # macOS has a second limit, which it does not report.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def map_large_blocks() -> None:
    """Let glibc allocate large blocks as mappings, which return to the system when freed.

    On the heap, they lie between small blocks: of 2,120 MB of freed captures, 90 MB returned.
    """
    if mallopt := _glibc("mallopt"):
        mallopt(-3, 2**20)  # M_MMAP_THRESHOLD in malloc.h; less than a sentence's weights


def collect_less_often() -> None:
    """Collect garbage less often: 150 students who click caused 0.17 s of it every 1.7 s."""
    gc.set_threshold(5_000, *gc.get_threshold()[1:])


def release_free_memory() -> None:
    """Return free heap memory to the system; takes 50 ms, in which other threads continue.

    By default, glibc returned 220 MB of 1,030 MB of freed models and captures.
    """
    if malloc_trim := _glibc("malloc_trim"):
        malloc_trim(0)


def _glibc(name: str) -> "ctypes._NamedFuncPointer | None":
    """A function of glibc; None with another C library."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), name, None)
