"""A real server and a real Chromium; without either, these tests fail.

Every visit is watched: an error in the browser's console, an error box on the page, or a request
to any other machine fails the test that made it.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.browser import Server, free_port
from tests.browser.calculator_page import CalculatorPage
from tests.browser.explore_page import ExplorePage
from tests.browser.keeping import Pages
from tests.browser.visitor import PATIENCE, Kind, Visitor
from tests.chromium import browser as browser
from tests.pages.conftest import use_one_thread as use_one_thread


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Say what the pages of a failed test last sent, and keep a picture of each."""
    report = yield
    if report.when == "call" and report.failed:
        for number, visitor in enumerate(Visitor.present):
            picture = Path(tempfile.gettempdir()) / f"headlight-{item.name[:60]}-{number}.png"
            visitor.page.screenshot(path=picture)
            report.sections.append((f"page {number}, {picture}", visitor.report()))
    return report


ROOT = Path(__file__).parents[2]
APP = [sys.executable, str(ROOT / "app.py"), "--port"]

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="package")
def hub_cache(tmp_path_factory) -> Path:
    """No server of the tests reads the model cache of the person who runs them."""
    return tmp_path_factory.mktemp("hub-cache")


@pytest.fixture(scope="package")
def shared(hub_cache) -> Iterator[tuple[Server, str]]:
    server, address = server_of(APP, "/api/ready", hub_cache)
    with server:
        yield server, address


@pytest.fixture(scope="package")
def base(shared) -> str:
    return shared[1]


def server_of(command: list[str], up: str, hub_cache: Path) -> tuple[Server, str]:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    # No server stores its rooms with those of that person.
    own = {"HF_HUB_CACHE": str(hub_cache), "HEADLIGHT_DATA": str(hub_cache / f"rooms-{port}")}
    return Server([*command, str(port)], address + up, own), address


@pytest.fixture(scope="package")
def pages(browser) -> Pages:
    return Pages(browser)


@contextmanager
def visits(pages: Pages, base: str) -> Iterator[Callable[..., Visitor]]:
    """Make visitors whose browser has no stored state: (address, page object, context options).

    With ``new``, the browser's cache is empty too. A page of the shared server goes back to the
    pool at the end.
    """
    visitors: list[Visitor] = []

    def enter(
        address: str,
        kind: type[Kind] = ExplorePage,
        *,
        new: bool = False,
        **profile: object,
    ) -> Kind:
        page = pages.take(address, new, profile)
        visitor = kind(page, address)
        pages.hand_out(page)
        visitors.append(visitor)
        return visitor

    yield enter
    for visitor in visitors:
        visitor.leave()
        if visitor.base == base:
            pages.give_back(visitor.page, f"{visitor.base}/favicon.png")
        else:
            visitor.page.context.close()
    for visitor in visitors:
        assert visitor.complaints == []
        assert visitor.strangers == []


@pytest.fixture
def visit(pages, base) -> Iterator[Callable[..., Visitor]]:
    with visits(pages, base) as enter:
        yield enter


@pytest.fixture
def explore(visit, base) -> ExplorePage:
    """A visitor of the shared server who has not yet opened anything."""
    return visit(base)


@pytest.fixture
def calculator(visit, base) -> CalculatorPage:
    """A visitor who is about to open the Calculator."""
    return visit(base, CalculatorPage)
