"""Components of real pages, drawn in Chromium without a server.

A page runs once in AppTest. Its components are then drawn on one static page (host.html), with the
data that Streamlit would send. A test acts in the browser, and reads what is drawn and which events
would be sent. The answer to an event is the data of the same page at another URL.
"""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit as st
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route
from starlette.applications import Starlette
from starlette.routing import Route as Served
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.chromium import browser  # noqa: F401 (a fixture)
from web import streamlit_patches
from web.cache import blob_store
from web.components import SCRIPTS
from web.server import qr, warmup
from web.server.static_files import PLOTLY, PLOTLY_URL

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ADDRESS = "http://localhost"  # nothing listens there: `_answer` answers every request
PHONE = {"width": 390, "height": 844}
API = (*qr.ROUTES, Served(blob_store.ROUTE_PATH, blob_store.get_range))
SIGNALS = {"red": "#c92a2a", "green": "#2b8a3e"}  # near Streamlit's own
FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element.getAttribute("aria-label") ?? element.textContent;
}"""


@pytest.fixture(autouse=True, scope="session")
def as_on_the_server() -> Iterator[None]:
    """Patches of Streamlit and one thread. The warm-up ends before Python does."""
    streamlit_patches.install()
    warmup.use_one_thread()
    yield
    if warmup.start.cache_info().currsize:
        warmup.start().join()


@cache
def components_of(address: str) -> dict[str, dict[str, Any]]:
    """What a page sends for each component, by key.

    Args:
        address: Path and query of the page, such as "calculator?mode=own".
    """
    path, _, query = address.partition("?")
    session = AppTest.from_file(str(ROOT / "pages" / "router.py"), default_timeout=120)
    session._page_hash = calc_hash(path)
    for name, value in parse_qsl(query):
        session.query_params[name] = value
    session.run()
    assert not session.exception, session.exception
    return {
        node.key: {
            "key": node.key,
            "html": node.proto.html_content,
            "css": node.proto.css_content,
            "js": node.proto.js_content,
            "isolated": node.proto.isolate_styles,
            "json": node.proto.json,
            "bytes": base64.b64encode(node.proto.bytes).decode(),
        }
        for node in session.get("bidi_component")
    }


class Board:
    """The static page, with the components that a test draws on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []  # in the console; a test removes those that it expects

    def draw(self, address: str, *keys: str, **changes: object) -> "Board":
        """Draw components of a page. Those that are drawn receive the new data, as after a run.

        Args:
            address: Path and query of the page, such as "calculator?mode=own".
            keys: Keys of the components, from top to bottom.
            changes: Fields of their data that differ from those of the page.
        """
        for key in keys:
            sent = dict(components_of(address)[key])
            if changes:
                sent["json"] = json.dumps([json.loads(sent["json"])[0] | changes])
            self.page.evaluate("(component) => host.draw(component)", sent)
        return self

    def lay_out(self, html: str) -> "Board":
        """Write the boxes around the components that are drawn later."""
        self.page.evaluate("(html) => { document.querySelector('main').innerHTML = html; }", html)
        return self

    def events(self, trigger: str) -> list[Any]:
        """The values of a trigger's events so far."""
        return [value for _, name, value in self.page.evaluate("host.events") if name == trigger]

    def expect_event(self, trigger: str, value: object) -> None:
        """Wait until the newest event of a trigger has this value."""
        self.page.wait_for_function(
            "([trigger, value]) => JSON.stringify(host.events.findLast("
            "(event) => event[1] === trigger)?.[2]) === JSON.stringify(value)",
            arg=[trigger, value],
        )

    def part(self, key: str) -> Locator:
        """The element of a component."""
        return self.page.locator(f".st-key-{key}")

    def focused(self) -> str:
        """The name or the text of the focused element, also in a shadow root."""
        return self.page.evaluate(FOCUSED)

    def download(self, click: Callable[[], object]) -> tuple[str, bytes]:
        """The name and the content of the file that a click saves."""
        with self.page.expect_download() as expected:
            click()
        return expected.value.suggested_filename, expected.value.path().read_bytes()


@pytest.fixture(scope="package")
def static_page(browser: Browser) -> Iterator[Page]:  # noqa: F811
    """One page for all tests."""
    with _context(browser) as context:
        yield context.new_page()


@pytest.fixture(scope="package")
def touched_page(browser: Browser) -> Iterator[Page]:  # noqa: F811
    """One page for all tests with fingers."""
    with _context(browser, has_touch=True) as context:
        yield context.new_page()


@pytest.fixture
def board(static_page: Page) -> Iterator[Board]:
    """An empty page of 1280 x 900 in the light theme; an error in its console fails the test."""
    with _emptied(static_page, {"width": 1280, "height": 900}) as board:
        yield board


@pytest.fixture
def phone(touched_page: Page) -> Iterator[Board]:
    """As `board`, on a phone."""
    with _emptied(touched_page, PHONE) as board:
        yield board


@contextmanager
def _context(browser: Browser, **profile: Any) -> Iterator[BrowserContext]:  # noqa: F811
    context = browser.new_context(**profile)
    with TestClient(Starlette(routes=API)) as api:
        context.route("**/*", lambda route: _answer(route, api))
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield context
        context.close()


@contextmanager
def _emptied(page: Page, viewport: Any) -> Iterator[Board]:
    board = Board(page)
    listeners = {
        "pageerror": lambda error: board.faults.append(str(error)),
        "console": lambda line: line.type == "error" and board.faults.append(line.text),
    }
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.mouse.move(0, 0)
    page.goto(ADDRESS)
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    for event, listener in listeners.items():
        page.on(event, listener)
    yield board
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    page.unroute_all()
    assert board.faults == []


def _answer(route: Route, api: TestClient) -> None:
    path = urlsplit(route.request.url).path
    if path == "/":
        html = (HERE / "host.html").read_text("utf-8").replace("STYLE", _style())
        route.fulfill(body=html, content_type="text/html")
    elif path in SCRIPTS:
        route.fulfill(body=SCRIPTS[path], content_type="text/javascript")
    elif path == PLOTLY_URL:
        route.fulfill(path=PLOTLY, content_type="text/javascript")
    else:
        answer = api.request(route.request.method, path, content=route.request.post_data_buffer)
        route.fulfill(status=answer.status_code, body=answer.content)


def _style() -> str:
    """The style sheet of the page, and the properties in which Streamlit states the theme."""
    themes = {base: _properties(f"theme.{base}") for base in ("light", "dark")}
    css = (ROOT / "web" / "assets" / "page.css").read_text("utf-8")
    return (
        f":root {{ color-scheme: light dark; font: 17px sans-serif; {themes['light']} }}"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {themes['dark']} }} }}"
        "body { background: var(--st-background-color); color: var(--st-text-color); }"
    ) + css


def _properties(theme: str) -> str:
    names = ("primary", "background", "secondary-background", "text", "link", "border")
    colours = {name: st.get_option(f"{theme}.{_camel(name)}Color") for name in names}
    colours |= {
        f"{name}{suffix}": value for name, value in SIGNALS.items() for suffix in ("", "-text")
    }
    properties = {f"--st-{name}-color": value for name, value in colours.items()}
    properties |= {"--st-font": "sans-serif", "--st-code-font": "monospace"}
    return " ".join(f"{name}: {value};" for name, value in properties.items())


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(map(str.capitalize, rest))
