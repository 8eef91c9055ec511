"""Present mode: content fits the screen, its text is large and has contrast, and keys work."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explore_page import DEFAULT, ExplorePage

pytestmark = pytest.mark.browser

# Addresses, and the number of a figure on each.
FIGURES = (("", 1), ("", 3), ("layers?part=lens", 1), ("calculator", 1), ("decoder", 1))
FIGURES = (*FIGURES, ("heads", 1), ("positions", 1), ("layers?part=stream", 1))

# All texts in the container that fills the screen, also in shadow roots and drawings: size on the
# screen, contrast with the page, and whether they are inside. Of the points of a figure: contrast.
WORDS = """() => {
  const { stage, scale } = document.documentElement.dataset;
  const root = document.querySelector(`.${stage}`);
  const box = root.getBoundingClientRect();
  const light = (css) => {
    const [red, green, blue] = css.match(/[\\d.]+/g).slice(0, 3).map((each) => {
      const share = each / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const paper = light(getComputedStyle(root).backgroundColor);
  const contrastOf = (ink) => {
    const [high, low] = [light(ink), paper].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const found = [], points = [];
  const look = (element) => {
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || style.display === "none" || style.opacity === "0") return;
    if (["STYLE", "SCRIPT"].includes(element.tagName) || element.closest("math")) return;
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    if (own && width) {
      const ink = element instanceof SVGElement ? style.fill : style.color;
      found.push({
        text: element.textContent.trim(),
        size: parseFloat(style.fontSize) * scale,
        contrast: contrastOf(ink),
        inside: left >= -1 && right <= box.right + 1 && top >= -1 && bottom <= box.bottom + 1,
      });
    }
    if (element.matches("path.point, path.scatterpts")) {
      const filled = style.fill !== "none" && style.fillOpacity !== "0";
      const ink = filled ? style.fill : style.strokeWidth === "0px" ? "" : style.stroke;
      if (/^rgb\\(/.test(ink)) points.push(contrastOf(ink));
    }
    for (const child of [...element.children, ...(element.shadowRoot?.children ?? [])]) look(child);
  };
  look(root);
  const fits = root.scrollHeight <= root.clientHeight && root.scrollWidth <= root.clientWidth;
  const whole = Math.abs(box.width - innerWidth) < 2 && box.height > innerHeight - 50;
  return { found, points, fills: fits && whole };
}"""

DRAWN = """() => {
  const stage = document.querySelector(`.${document.documentElement.dataset.stage}`);
  const charts = [...(stage?.querySelectorAll(".headlight-chart") ?? [])];
  // What stands beside a figure may come when it is drawn already.
  const atRest = document.querySelector('[data-test-script-state="notRunning"]');
  const painted = (each) => each.querySelector(".main-svg") && each.style.height;
  return stage && atRest && charts.every(painted);
}"""


def presented(page: Page) -> dict:
    """The measured texts, once two measurements agree."""
    page.wait_for_function(DRAWN)
    before = None
    while (now := page.evaluate(WORDS)) != before:
        before = now
        page.wait_for_timeout(400)
    return now


def test_present_mode_fills_the_screen_with_large_text(visit, base):
    page = visit(base, color_scheme="dark", viewport={"width": 1280, "height": 720}).page
    for path, number in FIGURES:
        page.goto(f"{base}/{path}{'&' if '?' in path else '?'}present={number}")
        shown = presented(page)
        assert shown["found"] and shown["fills"], (path, number)
        for word in shown["found"]:
            assert word["size"] >= 17.9, (path, number, word)
            assert word["contrast"] >= 7, (path, number, word)
            assert word["inside"], (path, number, word)
        assert min(shown["points"], default=7) >= 3, (path, number)


def test_keys_walk_through_the_heads_and_the_figures_and_the_text_can_be_reset(explore):
    page, html = explore.page, explore.page.locator("html")
    explore.open(lang="en")
    explore.sentence().click()
    page.keyboard.press("End")
    page.keyboard.type("p")  # typed, not a key of present mode
    expect(explore.sentence()).to_have_value(f"{DEFAULT}p")
    page.keyboard.press("Enter")
    explore.address_says(text=f"{DEFAULT}p")
    page.locator(".headlight-present .switch").click()
    expect(html).to_have_attribute("data-present", "1")
    explore.address_says(present="1")
    line = page.locator(".headlight-present .caption")
    expect(line).to_have_text(f"L3·H1scratch · minilm · {DEFAULT}p")
    for _ in range(6):  # every press counts, also while the server answers an earlier one
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    explore.address_says(layer="4", head="7", present="1")
    for side in ("left", "right"):
        expect(explore.overview(side)).to_have_attribute("data-selected", "L4·H7")
    for stage in ("heads_right", "head"):
        page.keyboard.press("Enter")
        expect(html).to_have_attribute("data-stage", f"st-key-stage_{stage}")
    page.mouse.move(300, 300)
    page.mouse.move(340, 320)  # shows the tools
    page.get_by_role("button", name="Exit (Esc)").click()
    explore.address_says(present=None, layer="4", head="7")
    page.locator(".headlight-present .reset").click()
    explore.address_says(text=DEFAULT, lang="en")
    explore.drawn()
    page.go_back()
    expect(explore.sentence()).to_have_value(f"{DEFAULT}p")
    page.go_forward()
    expect(explore.sentence()).to_have_value(DEFAULT)
    explore.menu("Layers")
    page.wait_for_url("**/layers**")
    explore.at_rest()
    expect(explore.sentence()).to_have_value(DEFAULT)


WAYS = (
    (
        "Esc",
        lambda page: page.keyboard.press("ArrowDown"),
        lambda page: page.keyboard.press("Escape"),
    ),
    ("p", lambda page: page.keyboard.press("Enter"), lambda page: page.keyboard.press("p")),
    (
        "switch",
        lambda page: page.locator("canvas.grid").first.click(position={"x": 90, "y": 60}),
        lambda page: page.locator(".headlight-present .switch").dispatch_event("click"),
    ),
    ("Back", lambda page: page.keyboard.press("ArrowRight"), lambda page: page.go_back()),
)


def test_the_page_answers_after_every_way_to_leave(explore: ExplorePage):
    page, html = explore.page, explore.page.locator("html")
    explore.open()  # the page that Back goes to
    explore.open(layer="2", head="3")
    for name, act, leave in WAYS:
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("p")
        expect(html).to_have_attribute("data-stage", "st-key-stage_heads_left")
        act(page)
        leave(page)
        page.wait_for_function("true")  # times out if a script never ends
        if name != "Back":
            expect(html).not_to_have_attribute("data-present", "1")
            explore.overview("left").focus()
            before = explore.overview("left").get_attribute("data-selected")
            page.keyboard.press("ArrowRight")
            expect(explore.overview("left")).not_to_have_attribute("data-selected", before)

    page.goto(f"{explore.base}/?lesson=tokens.1&present=1")  # the step comes before the figures
    question = page.locator(".lesson .ask")
    expect(question).to_be_visible()
    expect(page.locator(".lesson").get_by_role("button", name="All lessons")).to_be_hidden()
    assert question.bounding_box()["height"] > 100  # 14 px without the presentation
    page.locator(".lesson").get_by_role("button", name="Show the page").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Enter")
    expect(html).to_have_attribute("data-stage", "st-key-stage_heads_left")
    expect(question).to_be_hidden()
