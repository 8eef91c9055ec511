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
from unittest.mock import patch
from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit as st
from playwright.sync_api import Browser, Locator, Page, Route, expect
from starlette.applications import Starlette
from starlette.routing import Route as Served
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.chromium import browser  # noqa: F401 (a fixture)
from tests.pages.conftest import patched, use_one_thread  # noqa: F401 (fixtures)
from web.cache import blob_store
from web.components import SCRIPTS
from web.plotly_bundle import PLOTLY
from web.server import qr
from web.server.static_files import PLOTLY_URL

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ADDRESS = "http://localhost/a/proxy"  # nothing listens there: `_answer` answers every request
PHONE = {"width": 390, "height": 844}
API = (*qr.ROUTES, Served(blob_store.ROUTE_PATH, blob_store.get_range))
SIGNALS = {"red": "#c92a2a", "green": "#2b8a3e"}  # near Streamlit's own
ENDS = ("-color", "-text-color")
FONTS = {"--st-font": "sans-serif", "--st-code-font": "monospace"}

expect.set_options(timeout=30_000)  # the machine may be busy


def run(address: str, **state: object) -> dict[str, dict[str, Any]]:
    """What the page of an address sends for each component, by key.

    Args:
        address: Path and query, such as "calculator?mode=own".
        state: Entries of the session's state that no URL contains, such as answers.
    """
    path, _, query = address.partition("?")
    session = AppTest.from_file(str(ROOT / "pages" / "router.py"), default_timeout=120)
    session._page_hash = calc_hash(path)
    for name, value in parse_qsl(query):
        session.query_params[name] = value
    for name, value in state.items():
        session.session_state[name] = value
    with patch.object(type(st.context), "url", f"{ADDRESS}/{path}"):
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


components_of = cache(run)


class Board:
    """The static page, with the components that a test draws on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []  # in the console; a test removes those that it expects

    def draw(
        self, address: str, *keys: str, state: dict[str, object] | None = None, **changes: object
    ) -> "Board":
        """Draw components of a page. Those that are drawn receive the new data, as after a run.

        Args:
            address, state: As of `run`.
            keys: Keys of the components, from top to bottom.
            changes: Fields of their data that differ from those of the page.
        """
        page = run(address, **state) if state else components_of(address)
        for key in keys:
            sent = dict(page[key])
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

    def download(self, click: Callable[[], object]) -> tuple[str, bytes]:
        """The name and the content of the file that a click saves."""
        with self.page.expect_download() as expected:
            click()
        return expected.value.suggested_filename, expected.value.path().read_bytes()


@pytest.fixture(scope="package")
def pages(browser: Browser) -> Iterator[dict[bool, Page]]:  # noqa: F811
    """One page for all tests without fingers, and one for those with."""
    contexts = {touch: browser.new_context(has_touch=touch) for touch in (False, True)}
    with TestClient(Starlette(routes=API)) as api:
        for context in contexts.values():
            context.route("**/*", lambda route: _answer(route, api))
            context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield {touch: context.new_page() for touch, context in contexts.items()}
        for context in contexts.values():
            context.close()


@pytest.fixture
def board(pages: dict[bool, Page]) -> Iterator[Board]:
    """An empty page of 1280 x 900 in the light theme; an error in its console fails the test."""
    with _emptied(pages[False], {"width": 1280, "height": 900}) as board:
        yield board


@pytest.fixture
def phone(pages: dict[bool, Page]) -> Iterator[Board]:
    """As `board`, on a phone."""
    with _emptied(pages[True], PHONE) as board:
        yield board


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
    page.goto(f"{ADDRESS}/")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    for event, listener in listeners.items():
        page.on(event, listener)
    yield board
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    page.unroute_all()
    assert board.faults == []


def _answer(route: Route, api: TestClient) -> None:
    path = urlsplit(route.request.url).path.partition("/a/proxy")[2]  # "" at any other path
    if path == "/":
        html = (HERE / "host.html").read_text("utf-8").replace("STYLE", _style())
        route.fulfill(body=html, content_type="text/html")
    elif path[1:] in SCRIPTS:
        route.fulfill(body=SCRIPTS[path[1:]], content_type="text/javascript")
    elif path[1:] == PLOTLY_URL:
        route.fulfill(path=PLOTLY, content_type="text/javascript")
    else:
        answer = api.request(route.request.method, path, content=route.request.post_data_buffer)
        route.fulfill(status=answer.status_code, body=answer.content)


def _style() -> str:
    """The style sheet of the page, and the properties in which Streamlit states the theme."""
    names = ("primary", "background", "secondaryBackground", "text", "link", "border")
    signals = {f"--st-{name}{end}": SIGNALS[name] for name in SIGNALS for end in ENDS}
    themes = {}
    for base in ("light", "dark"):
        colours = {
            f"--st-{name.replace('B', '-b')}-color": st.get_option(f"theme.{base}.{name}Color")
            for name in names
        }
        properties = {**FONTS, **signals, **colours}
        themes[base] = " ".join(f"{name}: {value};" for name, value in properties.items())
    css = (ROOT / "web" / "assets" / "page.css").read_text("utf-8")
    return (
        f":root {{ color-scheme: light dark; font: 17px sans-serif; {themes['light']} }}"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {themes['dark']} }} }}"
        "body { background: var(--st-background-color); color: var(--st-text-color); }"
    ) + css
