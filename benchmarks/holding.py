"""What a server holds over time: readings, rows of them, and the line through them.

As a module it serves the product, which then also tells what it keeps on purpose:
``python -m benchmarks.holding PORT``, and behind the port what ``python app.py`` takes.
"""

import ctypes
import gc
import json
import sys
import time
import urllib.request
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import Any

import numpy as np
import psutil
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

KEPT = "/benchmark/kept"
"""Where the server tells how many bytes it keeps of what it read and computed, by its own count."""

EMPTIED = "/benchmark/emptied"
"""Where it lets go of all of that, and of the sessions that are gone, and tells what is left."""


class _Mallinfo2(ctypes.Structure):
    """What glibc tells of its heaps, bytes but for the counts."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def emptied() -> dict[str, int]:
    """Let go of all that is kept; returns bytes in use and Python's blocks, which lie elsewhere.

    What a process holds in memory tells more of how its heaps are cut up: these tell a leak.
    """
    from streamlit.runtime import Runtime

    from pages.shared import kept, once

    kept._kept().clear()
    for cache in (each.kept.cache for each in tuple(once.Shared.of_process)):
        for key in set(cache) - cache.always:
            del cache[key]
    manager: Any = Runtime.instance()._session_mgr
    manager._session_storage._cache.clear()
    gc.collect()
    tell = ctypes.CDLL(None).mallinfo2
    tell.restype = _Mallinfo2
    told = tell()
    return {"bytes": told.uordblks + told.hblkhd, "blocks": sys.getallocatedblocks()}


class Telling:
    """The application, with two more addresses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what is asked, or as the application does; as ASGI asks for it."""
        if scope["type"] != "http" or scope["path"] not in (KEPT, EMPTIED):
            await self.app(scope, receive, send)
            return
        if scope["path"] == EMPTIED:
            await JSONResponse(emptied())(scope, receive, send)
            return
        from pages.shared import kept, once

        caches = [kept._kept(), *(each.kept.cache for each in tuple(once.Shared.of_process))]
        await JSONResponse(sum(cache.currsize for cache in caches))(scope, receive, send)


@dataclass(frozen=True)
class Reading:
    """What there is at a moment."""

    minute: float
    megabytes: float
    kept: float  # of these, on purpose, as the server counts them
    threads: int
    files: int
    on_line: int


class Watched:
    """A server's process, and where it answers."""

    def __init__(self, pid: int, at: str) -> None:
        self.process, self.at = psutil.Process(pid), at
        self.began = time.monotonic()

    def reading(self) -> Reading:
        """What it holds now."""
        told = self._asked("/_stcore/metrics").decode().splitlines()
        n_sessions = next((line for line in told if line.startswith("active_sessions ")), "0 0")
        return Reading(
            (time.monotonic() - self.began) / 60,
            self.process.memory_info().rss / 1e6,
            json.loads(self._asked(KEPT)) / 1e6,
            self.process.num_threads(),
            self.process.num_fds(),
            int(float(n_sessions.split()[1])),
        )

    def emptied(self) -> dict[str, int]:
        """What is in use once all is let go of; see the function of that name."""
        told: dict[str, int] = json.loads(self._asked(EMPTIED))
        return told

    def _asked(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://{self.at}{path}", timeout=60) as answer:
            return bytes(answer.read())


HEAD = "| minutes | MB | from | to | kept | threads | files | on line |"


def rows(readings: list[Reading], minutes: float) -> list[str]:
    """A row of a table for so many minutes each: mean memory, the least, the most; other means."""
    told = []
    for number, group in groupby(readings, lambda each: int(each.minute // minutes)):
        these = list(group)
        held = [each.megabytes for each in these]
        means = np.mean([astuple(each)[2:] for each in these], axis=0)
        numbers = [np.mean(held), min(held), max(held), *means]
        when = f"{number * minutes:g} to {(number + 1) * minutes:g}"
        told.append(f"| {when} | " + " | ".join(f"{each:,.0f}" for each in numbers) + " |")
    return told


def growth(hours: np.ndarray, megabytes: np.ndarray) -> tuple[float, float]:
    """Megabytes an hour by least squares, and the standard error of that.

    A reading is much like the one before it, and says less than one of its own would: how much
    less is told by how alike neighbours lie beside the line. NaN for fewer than ten readings.
    """
    if len(hours) < 10:
        return float("nan"), float("nan")
    line, covariance = np.polyfit(hours, megabytes, 1, cov=True)
    rest = megabytes - np.polyval(line, hours)
    alike = float(np.clip((rest[1:] @ rest[:-1]) / max(float(rest @ rest), 1e-12), 0, 0.95))
    return float(line[0]), float(np.sqrt(covariance[0, 0] * (1 + alike) / (1 - alike)))


def slopes(readings: list[Reading], warm_up: float) -> str:
    """How memory grew once the first minutes were over, with what is kept and without."""
    after = [each for each in readings if each.minute > warm_up]
    hours = np.array([each.minute for each in after]) / 60
    held, kept = (np.array([getattr(r, name) for r in after]) for name in ("megabytes", "kept"))
    told = []
    for what, values in (("memory", held), ("kept on purpose", kept), ("the rest", held - kept)):
        slope, error = growth(hours, values)
        told.append(f"{what} after {warm_up:g} minutes: {slope:+.0f} ± {2 * error:.0f} MB an hour")
    return "\n".join(told)


if __name__ == "__main__":
    import app
    from pages.shared import settings

    to = settings.of_command_line(["--port", *sys.argv[1:]])
    settings.use(to)
    app.serve(Telling(app.app), to.address, to.port)
