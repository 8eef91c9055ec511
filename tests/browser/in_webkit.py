"""Tests of every page in WebKit, the engine of Safari. `make webkit` runs them.

The file name does not start with `test_`, so `make test` leaves it out: few systems offer WebKit
as a package. If WebKit is missing, these tests fail and are not skipped. Each test has its own
browser. No test takes a screenshot: on a virtual screen, WebKitGTK's driver hangs.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver

from tests.browser.visitor import PATIENCE
from tests.components.explore import MARGIN

pytestmark = pytest.mark.browser

# The path of each page, and the selector of its first figure.
PAGES = {
    "Layers": ("/layers", ".headlight-view .heatmaplayer image"),
    "Heads": ("/heads", ".st-key-view_panel .heatmaplayer image"),
    "Decoder": ("/decoder", ".decoding svg line"),
    "Calculator": ("/calculator", "[data-matrix=weights] td"),
    "Positions": ("/positions", ".heatmaplayer image"),
    "About": ("/about", "table, img, .katex"),
}

# Elements that match a selector, also inside the shadow roots of components.
FIND = """
const find = (root) => [
  ...root.querySelectorAll(arguments[0]),
  ...[...root.querySelectorAll("*")].flatMap((at) => at.shadowRoot ? find(at.shadowRoot) : []),
];
const found = find(document);
"""
TEXTS = FIND + "return found.map((each) => each.textContent);"
BOX = FIND + "const { x, y, width, height } = found[0].getBoundingClientRect();"
BOX += "return [x, y, width, height];"
AT_REST = """
const app = document.querySelector("[data-testid=stApp]");
return app?.dataset.testScriptState === "notRunning";
"""


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        yield f":{server.stdout.readline().strip()}"
        server.terminate()


@pytest.fixture
def webkit(screen) -> Iterator[WebDriver]:
    options = webdriver.WebKitGTKOptions()
    options.add_argument("--automation")
    options.page_load_strategy = "none"  # Streamlit draws a page long after it is loaded
    # A container has no graphics card and no sandbox.
    environment = {
        **os.environ,
        "DISPLAY": screen,
        "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
    }
    driver = shutil.which("WebKitWebDriver")
    assert driver, "This test needs WebKitWebDriver: run it by `make webkit`."
    service = webdriver.WebKitGTKService(driver, env=environment)
    service.start()
    try:
        # Without a timeout, a command without a response would block the run.
        config = ClientConfig(service.service_url, timeout=2 * PATIENCE // 1000)
        with webdriver.Remote(RemoteConnection(client_config=config), options=options) as driver:
            driver.set_window_size(1300, 900)
            yield driver
    finally:
        service.stop()


def wait_until(read: Callable[[], object], accept: Callable[[object], bool]) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while not accept(last := read()):
        assert time.monotonic() < end, last
        time.sleep(0.5)


def texts(webkit: WebDriver, selector: str) -> list[str]:
    return webkit.execute_script(TEXTS, selector)


def open_page(webkit: WebDriver, address: str, name: str, figure: str) -> None:
    webkit.get(address)
    wait_until(lambda: webkit.title, f"{name} · Headlight".__eq__)
    wait_until(lambda: texts(webkit, figure), bool)
    wait_until(lambda: webkit.execute_script(AT_REST), bool)
    assert texts(webkit, "[data-testid=stException]") == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn(webkit, base, name):
    path, figure = PAGES[name]
    open_page(webkit, base + path, name, figure)


def test_a_clicked_head_and_a_typed_sentence_are_shown(webkit, base):
    open_page(webkit, base, "Explore", "canvas.grid[data-selected]")
    webkit.execute_script(FIND + "found[0].scrollIntoView({ block: 'center' });", "canvas.grid")
    x, y, width, height = webkit.execute_script(BOX, "canvas.grid")
    wide, high = (width - MARGIN["left"]) / 12, (height - MARGIN["top"]) / 6
    spot = int(x + MARGIN["left"] + 7.5 * wide), int(y + MARGIN["top"] + 2.5 * high)
    mouse = ActionChains(webkit)
    mouse.w3c_actions.pointer_action.move_to_location(*spot).click()
    mouse.perform()
    wait_until(lambda: texts(webkit, ".gtitle")[:1], ["scratch · L2·H7"].__eq__)
    sentence = webkit.find_element("css selector", "[aria-label='Sentence']")
    sentence.send_keys(Keys.CONTROL, "a")
    sentence.send_keys(Keys.NULL, "hello there", Keys.ENTER)
    wait_until(lambda: texts(webkit, ".chips button"), ["[CLS]", "hello", "there", "[SEP]"].__eq__)
