"""Memory that is free goes back to the system, where glibc would keep it; see sessions.py for when.

Its heaps are torch's and NumPy's too. Nothing here asks anything of another C library.
"""

import ctypes
import sys

LARGE = 2**20
"""Bytes of a piece that stands by itself, as the weights of a sentence of 64 tokens do."""

M_MMAP_THRESHOLD = -3
"""Of glibc's malloc.h."""


def keep_apart() -> None:
    """Let what is large have pages of its own, which go back as soon as it is free; for a process.

    glibc would do so until the first such piece is free, and from then on put all of that size into
    its heaps: between small things that stay, so that the hole is kept. Of 2,120 MB that was 90.
    """
    if tell := _glibc("mallopt"):
        tell(M_MMAP_THRESHOLD, LARGE)


def give_back() -> None:
    """Give memory that is free back to the system.

    glibc keeps most of what models and captures took in small pieces, as if they came again: of
    1,030 MB that were let go of, it gave 220 back. 50 ms, in which other threads go on.
    """
    if trim := _glibc("malloc_trim"):
        trim(0)


def _glibc(name: str) -> "ctypes._NamedFuncPointer | None":
    """A function of glibc's, or none where the C library is another."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), name, None)
