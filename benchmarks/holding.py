"""Memory of a server over time: readings, a table, and a linear fit.

``python -m benchmarks.holding PORT`` serves the application with two more routes, which report
cached bytes. It takes the options of ``python app.py`` after the port.
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

CACHED_URL = "/benchmark/cached"
"""Route that responds with the number of bytes in the caches."""

EMPTIED = "/benchmark/emptied"
"""Route that clears the caches and the disconnected sessions, and responds with the memory in
use."""


class _Mallinfo2(ctypes.Structure):
    """glibc's heap statistics; sizes in bytes."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def emptied() -> dict[str, int]:
    """Clear all caches; returns bytes in use and the number of Python's memory blocks.

    These show a leak. The process's resident memory depends on heap fragmentation.
    """
    from streamlit.runtime import Runtime

    from web.cache import blob_store, shared_cache

    blob_store._blobs().clear()
    for cache in (each.cached.cache for each in tuple(shared_cache.SharedFunction.instances)):
        for key in set(cache) - cache.pinned:
            del cache[key]
    manager: Any = Runtime.instance()._session_mgr
    manager._session_storage._cache.clear()
    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo2
    answer = mallinfo()
    return {"bytes": answer.uordblks + answer.hblkhd, "blocks": sys.getallocatedblocks()}


class WithMemoryRoutes:
    """The application with the two routes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        if scope["type"] != "http" or scope["path"] not in (CACHED_URL, EMPTIED):
            await self.app(scope, receive, send)
            return
        if scope["path"] == EMPTIED:
            await JSONResponse(emptied())(scope, receive, send)
            return
        from web.cache import blob_store, shared_cache

        caches = [
            blob_store._blobs(),
            *(each.cached.cache for each in tuple(shared_cache.SharedFunction.instances)),
        ]
        await JSONResponse(sum(cache.currsize for cache in caches))(scope, receive, send)


@dataclass(frozen=True)
class Reading:
    """One reading."""

    minute: float
    megabytes: float
    cached: float  # of these, in the caches
    threads: int
    files: int
    on_line: int


class Watched:
    """A server's process and its host and port."""

    def __init__(self, pid: int, at: str) -> None:
        self.process, self.at = psutil.Process(pid), at
        self.began = time.monotonic()

    def reading(self) -> Reading:
        """A reading now."""
        answer = self._asked("/_stcore/metrics").decode().splitlines()
        n_sessions = next((line for line in answer if line.startswith("active_sessions ")), "0 0")
        return Reading(
            (time.monotonic() - self.began) / 60,
            self.process.memory_info().rss / 1e6,
            json.loads(self._asked(CACHED_URL)) / 1e6,
            self.process.num_threads(),
            self.process.num_fds(),
            int(float(n_sessions.split()[1])),
        )

    def emptied(self) -> dict[str, int]:
        """Memory in use with empty caches; see :func:`emptied`."""
        answer: dict[str, int] = json.loads(self._asked(EMPTIED))
        return answer

    def _asked(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://{self.at}{path}", timeout=60) as answer:
            return bytes(answer.read())


HEAD = "| minutes | MB | from | to | cached | threads | files | on line |"


def rows(readings: list[Reading], minutes: float) -> list[str]:
    """Rows of a table, one per ``minutes``: mean, minimum and maximum memory; means of the
    others."""
    lines = []
    for number, group in groupby(readings, lambda each: int(each.minute // minutes)):
        these = list(group)
        held = [each.megabytes for each in these]
        means = np.mean([astuple(each)[2:] for each in these], axis=0)
        numbers = [np.mean(held), min(held), max(held), *means]
        when = f"{number * minutes:g} to {(number + 1) * minutes:g}"
        lines.append(f"| {when} | " + " | ".join(f"{each:,.0f}" for each in numbers) + " |")
    return lines


def growth(hours: np.ndarray, megabytes: np.ndarray) -> tuple[float, float]:
    """Megabytes per hour by least squares, and the standard error.

    Consecutive readings are correlated, so the error is corrected by the autocorrelation of the
    residuals. NaN for fewer than ten readings.
    """
    if len(hours) < 10:
        return float("nan"), float("nan")
    line, covariance = np.polyfit(hours, megabytes, 1, cov=True)
    rest = megabytes - np.polyval(line, hours)
    alike = float(np.clip((rest[1:] @ rest[:-1]) / max(float(rest @ rest), 1e-12), 0, 0.95))
    return float(line[0]), float(np.sqrt(covariance[0, 0] * (1 + alike) / (1 - alike)))


def slopes(readings: list[Reading], warm_up: float) -> str:
    """Growth of memory after the warm-up, with and without the caches."""
    after = [each for each in readings if each.minute > warm_up]
    hours = np.array([each.minute for each in after]) / 60
    held, cached = (np.array([getattr(r, name) for r in after]) for name in ("megabytes", "cached"))
    lines = []
    for what, values in (("memory", held), ("caches", cached), ("the rest", held - cached)):
        slope, error = growth(hours, values)
        lines.append(f"{what} after {warm_up:g} minutes: {slope:+.0f} ± {2 * error:.0f} MB an hour")
    return "\n".join(lines)


if __name__ == "__main__":
    import app
    from web import settings
    from web.server import serving

    options = settings.of_command_line(["--port", *sys.argv[1:]])
    settings.use(options)
    serving.serve(WithMemoryRoutes(app.app), options)
