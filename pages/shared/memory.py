"""Memory that is free goes back to the system, and is not looked for too often; see sessions.py.

glibc would keep it, whose heaps are torch's and NumPy's too. Nothing is asked of another C library.
"""

import ctypes
import gc
import sys

LARGE = 2**20
"""Bytes of a piece that stands by itself, as the weights of a sentence of 64 tokens do."""

YOUNG = 5_000
"""Objects. With 20,000 a look at the young ones takes 25 ms, and 110 at those of middle age."""

M_MMAP_THRESHOLD = -3
"""Of glibc's malloc.h."""


def keep_apart() -> None:
    """Let what is large have pages of its own, which go back as soon as it is free; for a process.

    glibc would do so until the first such piece is free, and from then on put all of that size into
    its heaps: between small things that stay, so that the hole is kept. Of 2,120 MB that was 90.
    """
    if tell := _glibc("mallopt"):
        tell(M_MMAP_THRESHOLD, LARGE)


def collect_later() -> None:
    """Look for what nobody refers to after so many new objects, not after Python's 700.

    A run of a page makes thousands, which live as long as it does and were taken for old ones: with
    150 students who click, all that is old was looked through every 1.7 s, 0.17 s each time, and
    nobody was served meanwhile.
    """
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


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
