"""The capture view in a file and in a notebook, in Chromium without a server."""

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from headlight import open_capture, show, to_html
from tests.chromium import browser  # noqa: F401 (a fixture)

pytestmark = pytest.mark.browser

TOKENS = ["[CLS]", "</script><b>it</b>", "ran", "ran"]
NUMBERS = "(map) => Array.from(map._fullData[0].z, (row) => Array.from(row))"


def capture(seed: int, layers: int, heads: int):
    weights = np.random.default_rng(seed).dirichlet(np.ones(4), (layers, heads, 4))
    special = [True, False, False, False]
    return open_capture(weights.astype(np.float32), TOKENS, special=special, model=f"run {seed}")


ONE, OTHER = capture(3, 2, 3), capture(5, 3, 5)


def expect_maps(page: Page, layer: int, head: int) -> None:
    for side, each in (("left", ONE), ("right", OTHER)):
        drawn = page.locator(f"[data-side={side}] .map")
        expect(drawn).to_have_attribute("data-head", f"L{layer}·H{head}")
        np.testing.assert_allclose(drawn.evaluate(NUMBERS), each.weights[layer, head], atol=5.1e-5)


def sentence(layer: int, head: int) -> str:
    words = ONE.weights[layer, head][1:, 1:]  # without the special token
    query, key = np.unravel_index(words.argmax(), words.shape)
    names = ["</script><b>it</b>", "ran₁", "ran₂"]
    return (
        f"In run 3, head L{layer}·H{head}, “{names[query]}” gives "
        f"{words.max():.2f} of its attention to “{names[key]}”."
    )


def test_a_file_opens_without_a_network_and_shows_the_captures(
    browser: Browser,  # noqa: F811
    tmp_path: Path,
) -> None:
    written = to_html(ONE, tmp_path / "view.html", OTHER, layer=1, head=2)
    page = browser.new_page(offline=True)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(written.as_uri())
    expect_maps(page, 1, 2)
    page.locator("[data-side=left] canvas.grid").focus()
    page.keyboard.press("ArrowUp")
    expect_maps(page, 0, 2)
    expect(page.locator(".said")).to_have_text(sentence(0, 2))
    assert errors == []
    page.close()


def test_a_widget_shows_the_captures_and_its_selection_is_read_and_set(
    browser: Browser,  # noqa: F811
) -> None:
    widget = show(ONE, OTHER)
    page = browser.new_page()
    page.set_content("<div id=cell></div>")
    traits = {name: getattr(widget, name) for name in ("html", "plotly", "selection")}
    page.evaluate(
        """async ([source, traits, payload]) => {
          const { default: { render } } = await import(
            URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
          const listeners = [];
          const values = { ...traits, payload: new DataView(Uint8Array.from(payload).buffer) };
          window.model = {
            get: (name) => values[name], set: (name, value) => (values[name] = value),
            save_changes: () => (window.saved = values.selection),
            on: (_, listener) => listeners.push(listener),
            fromPython: (value) => {
              values.selection = value;
              listeners.forEach((draw) => draw());
            },
          };
          render({ model: window.model, el: document.getElementById("cell") });
        }""",
        [str(widget._esm), traits, list(widget.payload)],
    )
    expect_maps(page, 0, 0)
    page.locator("[data-side=left] canvas.grid").focus()
    page.keyboard.press("ArrowRight")
    expect_maps(page, 0, 1)
    page.wait_for_function("window.saved?.left?.join() === '0,1'")
    page.evaluate("window.model.fromPython({ ...window.saved, left: [1, 2] })")
    expect_maps(page, 1, 2)
    assert json.loads(json.dumps(widget.selection))["left"] == [0, 0]
    page.close()
