"""Servers, Chromium, and the time from a key press or a click until the result is painted.

The clock runs inside the page: a script records the time of the event and checks at every
animation frame whether the result is there.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    # Only this machine may answer. Playwright's own routing would turn the HTTP cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]

# The clock stops one frame after the predicate is first true.
_ARM = """
(arg) => {
    const painted = () => Boolean(%s);
    if (painted()) return true;
    const starts = ["keydown", "pointerdown", "benchmark"];
    const begin = (event) => {
        if (event.type === "keydown" && !/^(Enter|Arrow)/.test(event.key)) return;
        const start = performance.now();
        for (const name of starts) window.removeEventListener(name, begin, true);
        const stop = () => { window.benchmarkElapsed = performance.now() - start; };
        const watch = () => requestAnimationFrame(painted() ? stop : watch);
        requestAnimationFrame(watch);
    };
    delete window.benchmarkElapsed;
    for (const name of starts) window.addEventListener(name, begin, true);
    return false;
}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A server process that is ready at the start of the block and stopped at its end."""

    def __init__(
        self,
        argv: Sequence[str],
        ready_url: str,
        env: Mapping[str, str] | None = None,
        patience: float = 120.0,
    ) -> None:
        """Store the command; the server starts with the block, and is ready at a URL's 200."""
        self.argv = list(argv)
        self.ready_url = ready_url
        self.env = {**os.environ, **(env or {})}
        self.patience = patience

    def __enter__(self) -> Server:
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.argv, env=self.env, stdout=self._log, stderr=subprocess.STDOUT
        )
        try:
            self._wait_until_ready()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended early:\n{self.output()}")
            try:
                with urllib.request.urlopen(self.ready_url, timeout=5) as reply:
                    if reply.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.1)
        raise TimeoutError(f"{self.ready_url} gave no answer:\n{self.output()}")

    def _stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()

    def output(self, most: int = 4000) -> str:
        """Return the end of the server's output, at most ``most`` bytes."""
        # pread keeps the file position, which the server uses for writing.
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), most, max(0, size - most)).decode(errors="replace")


@contextmanager
def chromium(flags: Sequence[str] = CHROMIUM_FLAGS) -> Iterator[Browser]:
    """Yield a headless Chromium: the system's browser if there is one, otherwise Playwright's."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(flags)
        )
        try:
            yield browser
        finally:
            browser.close()


def time_until(
    page: Page,
    act: Callable[[], object],
    painted: str,
    arg: Any = None,
    limit: float = 60.0,
) -> float:
    """Return the milliseconds from an event to the frame after its result is painted.

    Args:
        act: The user's action. The clock starts at the first Enter, arrow key or pointer press.
        painted: A JavaScript expression, true once the result is painted; it can use ``arg``.
        limit: Seconds until Playwright's ``TimeoutError``.
    """
    if page.evaluate(_ARM % painted, arg):
        raise ValueError(f"painted before anything was done: {painted}")
    act()
    # The time is final when it is recorded, so slow polling does not change it.
    found = page.wait_for_function(
        "() => window.benchmarkElapsed", timeout=limit * 1000, polling=50
    )
    return float(found.json_value())
