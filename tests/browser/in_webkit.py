"""Every page draws and answers in WebKit, the engine of Safari. `make webkit` runs this.

Not named `test_`, so it is no part of a whole run: that one cannot ask for WebKit, which few
systems offer as a package. What is missing here fails, and is not skipped. Each test has a browser
of its own, and none takes a screenshot: WebKitGTK's driver did not come back from that on a virtual
screen when it was tried.
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

from tests.browser.explore_page import DEFAULT, MARGIN
from tests.browser.visitor import PATIENCE

pytestmark = pytest.mark.browser

# The page's path, and what it is not drawn without: its first figure.
PAGES = {
    "Explore": ("/", "canvas.grid[data-selected]"),
    "Layers": ("/layers", ".st-key-layer_right .heatmaplayer image"),
    "Heads": ("/heads", ".st-key-panel .heatmaplayer image"),
    "Decoder": ("/decoder", ".decoding svg line"),
    "Decoder, Masks": ("/decoder?part=masks", ".st-key-after .heatmaplayer image"),
    "Calculator": ("/calculator", "[data-matrix=weights] td"),
    "Positions": ("/positions", ".heatmaplayer image"),
    "About": ("/about", "[data-testid=stDataFrame], table, img, .katex"),
}

# Elements that answer a selector, those within the components' shadow roots among them.
FIND = """
const find = (root) => [
  ...root.querySelectorAll(arguments[0]),
  ...[...root.querySelectorAll("*")].flatMap((at) => at.shadowRoot ? find(at.shadowRoot) : []),
];
const found = find(document);
"""
TEXTS = FIND + "return found.map((each) => each.textContent);"
BOX = FIND + "const box = found[0].getBoundingClientRect(); return [box.x, box.y, box.width];"
AT_REST = """
const app = document.querySelector("[data-testid=stApp]");
return app?.dataset.testScriptState === "notRunning";
"""


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    """A virtual screen, under the first number that is free."""
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
    options.page_load_strategy = "none"  # a page of Streamlit is drawn long after it was loaded
    # Neither a graphics card nor a sandbox is to be had in a container.
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
        # A command that is never answered ends in an error, not in a run that hangs.
        line = ClientConfig(service.service_url, timeout=2 * PATIENCE // 1000)
        with webdriver.Remote(RemoteConnection(client_config=line), options=options) as driver:
            driver.set_window_size(1300, 900)
            yield driver
    finally:
        service.stop()


def until(said: Callable[[], object], wanted: Callable[[object], bool]) -> None:
    """Wait for something to be said; what was said instead is what the failure shows."""
    end = time.monotonic() + PATIENCE / 1000
    while not wanted(last := said()):
        assert time.monotonic() < end, last
        time.sleep(0.5)


def texts(webkit: WebDriver, selector: str) -> list[str]:
    return webkit.execute_script(TEXTS, selector)


def open_page(webkit: WebDriver, base: str, name: str) -> None:
    path, figure = PAGES[name]
    webkit.get(base + path)
    until(lambda: webkit.title, f"{name.partition(',')[0]} · Headlight".__eq__)
    until(lambda: texts(webkit, figure), bool)
    until(lambda: webkit.execute_script(AT_REST), bool)
    assert texts(webkit, "[data-testid=stException]") == []


def titles_are(webkit: WebDriver, head: str) -> None:
    wanted = [f"scratch · {head}", f"minilm · {head}"]
    until(lambda: texts(webkit, ".gtitle"), wanted.__eq__)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_draws(webkit, base, name):
    open_page(webkit, base, name)


def test_a_click_on_a_head_shows_it(webkit, base):
    open_page(webkit, base, "Explore")
    titles_are(webkit, "L3·H1")
    webkit.execute_script(FIND + "found[0].scrollIntoView({ block: 'center' });", "canvas.grid")
    x, y, width = webkit.execute_script(BOX, "canvas.grid")
    step = (width - MARGIN["left"]) / 12
    spot = int(x + MARGIN["left"] + 7.5 * step), int(y + MARGIN["top"] + 2.5 * step)
    mouse = ActionChains(webkit)
    mouse.w3c_actions.pointer_action.move_to_location(*spot).click()
    mouse.perform()
    titles_are(webkit, "L2·H7")


def test_a_sentence_that_is_typed_is_the_one_shown(webkit, base):
    open_page(webkit, base, "Explore")
    sentence = webkit.find_element("css selector", "[aria-label='Sentence']")
    assert sentence.get_property("value") == DEFAULT
    sentence.send_keys(Keys.CONTROL, "a")
    sentence.send_keys(Keys.NULL, "hello there", Keys.ENTER)
    wanted = ["[CLS]", "hello", "there", "[SEP]"]
    until(lambda: texts(webkit, ".piece"), wanted.__eq__)
