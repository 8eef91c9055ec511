"""Components of real pages, drawn in Chromium without a server.

A page runs once in AppTest. Its components are then drawn on one static page (host.html), with the
data that Streamlit would send. A test acts in the browser, and reads what is drawn and which events
would be sent. The answer to an event is the data of the same page at another URL.
"""

import base64
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit as st
from playwright.sync_api import Browser, Locator, Page, Route, expect
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.chromium import browser  # noqa: F401 (a fixture)
from web import streamlit_patches
from web.components import SCRIPTS
from web.server import warmup
from web.server.static_files import PLOTLY, PLOTLY_URL

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ADDRESS = "http://localhost"  # nothing listens there: `_answer` answers every request
SIGNALS = {"red": "#c92a2a", "green": "#2b8a3e"}  # near Streamlit's own

expect.set_options(timeout=30_000)  # the machine may be busy


@pytest.fixture(autouse=True, scope="session")
def as_on_the_server() -> Iterator[None]:
    """Patches of Streamlit and one thread. The warm-up ends before Python does."""
    streamlit_patches.install()
    warmup.use_one_thread()
    yield
    if warmup.start.cache_info().currsize:
        warmup.start().join()


def run(address: str, **state: object) -> dict[str, dict[str, Any]]:
    """What a page sends for each component, by key.

    Args:
        address: Path and query of the page, such as "calculator?mode=own".
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

    def draw(self, address: str, *keys: str, **state: object) -> "Board":
        """Draw components of a page. Those that are drawn receive the new data, as after a run.

        Args:
            address: Path and query of the page, such as "calculator?mode=own".
            keys: Keys of the components, from top to bottom.
            state: Entries of the session's state that no URL contains, such as answers.
        """
        sent = run(address, **state) if state else components_of(address)
        for key in keys:
            self.page.evaluate("(component) => host.draw(component)", sent[key])
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


@pytest.fixture(scope="package")
def static_page(browser: Browser) -> Iterator[Page]:  # noqa: F811
    """One page for all tests."""
    context = browser.new_context()
    context.route("**/*", _answer)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


@pytest.fixture
def board(static_page: Page) -> Iterator[Board]:
    """An empty page of 1280 x 900 in the light theme; an error in its console fails the test."""
    faults: list[str] = []
    listeners = {
        "pageerror": lambda error: faults.append(str(error)),
        "console": lambda line: line.type == "error" and faults.append(line.text),
    }
    static_page.set_viewport_size({"width": 1280, "height": 900})
    static_page.emulate_media(color_scheme="light")
    static_page.goto(ADDRESS)
    static_page.evaluate("localStorage.clear(); sessionStorage.clear()")
    for event, listener in listeners.items():
        static_page.on(event, listener)
    yield Board(static_page)
    for event, listener in listeners.items():
        static_page.remove_listener(event, listener)
    assert faults == []


def _answer(route: Route) -> None:
    path = urlsplit(route.request.url).path
    if path == "/":
        html = (HERE / "host.html").read_text("utf-8").replace("STYLE", _style())
        route.fulfill(body=html, content_type="text/html")
    elif path in SCRIPTS:
        route.fulfill(body=SCRIPTS[path], content_type="text/javascript")
    elif path == PLOTLY_URL:
        route.fulfill(path=PLOTLY, content_type="text/javascript")
    else:
        route.fulfill(status=404)


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
