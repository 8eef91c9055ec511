"""Time what a person sees: from a key press or a click to the pixels that answer it.

The clock runs inside the page. A benchmark that asks the page again and again from
outside counts its own round trips; here one script, injected beforehand, notes the
moment of the event and watches for the answer at every animation frame::

    with Server([sys.executable, "-m", "some.server", str(port)], ready_url=url):
        with chromium() as browser:
            page = browser.new_page()
            page.goto(url)
            box = page.get_by_role("textbox")
            box.fill("hello")
            ms = time_until(page, lambda: box.press("Enter"), "document.title === arg", arg="hello")
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
from types import TracebackType
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    # Nothing outside this machine may answer, or the network would be in the timings.
    # (Playwright's own request routing would do it too, but it turns the HTTP cache off.)
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]

# The clock starts at the event and stops one frame after the predicate first holds: the callback
# sees the new content just before it is painted, so the next frame is the
# first after it.
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
    """Return a loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A server process that is ready when the block begins and gone when it ends."""

    def __init__(
        self,
        argv: Sequence[str],
        ready_url: str,
        env: Mapping[str, str] | None = None,
        patience: float = 120.0,
    ) -> None:
        """Describe the server; nothing starts yet.

        Args:
            argv: The command and its arguments.
            ready_url: An address that answers 200 once the server can be used.
            env: Variables added to this process's own environment.
            patience: Seconds that the server may take to become ready.
        """
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        # pread leaves the file position alone: the server writes through the same one.
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), most, max(0, size - most)).decode(errors="replace")


@contextmanager
def chromium(flags: Sequence[str] = CHROMIUM_FLAGS) -> Iterator[Browser]:
    """Yield a headless Chromium: the system's own if there is one, else Playwright's."""
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
    """Return the milliseconds from an event to the frame after its answer is drawn.

    Args:
        page: A page that is open and at rest.
        act: Does what the user does. The clock starts at the first Enter, arrow key or
            pointer press that the page sees, or at an event named ``benchmark`` on its window.
        painted: A JavaScript expression, true once the answer is there. It can refer
            to ``arg``, and must name something new: it must not hold beforehand.
        arg: Any JSON-like value, handed to the expression under that name.
        limit: Seconds to wait before Playwright's ``TimeoutError``.
    """
    if page.evaluate(_ARM % painted, arg):
        raise ValueError(f"painted before anything was done: {painted}")
    act()
    # The answer is final when it appears, so asking for it at leisure disturbs nothing.
    found = page.wait_for_function(
        "() => window.benchmarkElapsed", timeout=limit * 1000, polling=50
    )
    return float(found.json_value())
