"""A real server and a real Chromium; without either, these tests fail.

Every visit is watched: an error in the browser's console, an error box on the page, or a request
to any other machine fails the test that made it.
"""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, expect, sync_playwright

from benchmarks.browser import CHROMIUM_FLAGS, Server, free_port
from tests.browser.explore_page import PATIENCE, ExplorePage

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
APP = [sys.executable, str(ROOT / "app.py"), "--port"]
STREAMLIT_RUN = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port"]

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session", autouse=True)
def one_torch_thread():
    """As on the server: the true numbers are computed here in the same order."""
    torch.set_num_threads(1)


@pytest.fixture(scope="package")
def hub_cache(tmp_path_factory) -> Path:
    """No server here reads the model cache of whoever runs the tests."""
    return tmp_path_factory.mktemp("hub-cache")


@pytest.fixture(scope="package")
def start_server(hub_cache) -> Callable[..., tuple[Server, str]]:
    """Make a server of one's own: (command, address that says it is up) -> (server, its address)."""

    def start(command: list[str], up: str) -> tuple[Server, str]:
        port = free_port()
        base = f"http://127.0.0.1:{port}"
        env = {"HF_HUB_CACHE": str(hub_cache)}
        return Server([*command, str(port)], base + up, env), base

    return start


@pytest.fixture(scope="package")
def base(start_server) -> Iterator[str]:
    """The address of a warm server that all tests share."""
    server, address = start_server(APP, "/api/ready")
    with server:
        yield address


# Not for the whole session: playwright's event loop would be in the way of other tests.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or else playwright's own."""
    system = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=system, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser) -> Iterator[Callable[..., ExplorePage]]:
    """Make a visitor with a fresh browser profile: (address, what to set) -> the page."""
    pages: list[ExplorePage] = []

    def enter(base: str, **profile: object) -> ExplorePage:
        profile = {"viewport": {"width": 1280, "height": 900}, **profile}
        context = browser.new_context(**profile)
        context.set_default_timeout(PATIENCE)
        pages.append(ExplorePage(context.new_page(), base))
        return pages[-1]

    yield enter
    for page in pages:
        page.page.context.close()
    for page in pages:
        assert page.complaints == []
        assert page.strangers == []


@pytest.fixture
def explore(visit, base) -> ExplorePage:
    """A visitor of the shared server who has not yet opened anything."""
    return visit(base)
