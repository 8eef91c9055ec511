"""Each address once: what holds for every page, wide and on a phone, light and dark."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.axe import serious_faults
from tests.browser.conftest import visits
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

ADDRESSES = {
    "Explore": [
        "/?picked=2",
        "/?view=lines&picked=5&right=smollm2&linked=0&text=She+put+the+book+on+the+[MASK].",
        "/?lesson=one-query.1",
    ],
    "Model": [
        "/model?left=smollm2&zoom=layer",
        "/model?left=phrases&zoom=head",
        "/model?left=minilm&zoom=score",
    ],
    "Layers": [f"/layers?part={part}" for part in ("layers", "difference", "lens", "stream")],
    "Heads": [f"/heads?part={part}" for part in ("labels", "links", "corpus", "change", "tuned")],
    "Decoder": [
        "/decoder",
        "/decoder?part=generate&tokens=6",
        "/decoder?part=masks&inverted=1",
        "/decoder?part=efficient",
    ],
    "Calculator": [
        "/calculator?mode=own&form=x",
        "/calculator?mode=head",
        *(f"/calculator?mode={mode}" for mode in ("practice", "spread", "norms")),
    ],
    "Positions": [
        "/positions",
        "/positions?kind=shuffle",
        "/positions?kind=schemes",
    ],
    "Lessons": ["/lessons"],
    "Classroom": ["/classroom"],
    "About": ["/about"],
}

# Functions of the scripts below.
TOOLS = """
const inside = (root) => [...root.querySelectorAll("*")].flatMap((each) =>
  [each, ...(each.shadowRoot ? inside(each.shadowRoot) : [])]);
"""

# Every chart is painted, and something else on a page without charts.
DRAWN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const charts = [...main.querySelectorAll(".headlight-chart")];
  return charts.every((chart) => chart.querySelector(".main-svg") || !chart.checkVisibility())
    && [...main.querySelectorAll("canvas, table, svg, [data-drawn]")].some((each) =>
      each.checkVisibility());
}"""

# Numbers with a hyphen for a minus sign, and nan, in texts on the screen.
WRONG_NUMBERS = r"""() => {
  const found = [];
  const look = (node) => {
    if (node.nodeType === 3 && /(^|[\s(=])-\.?\d|\bnan\b/i.test(node.data)) found.push(node.data);
    // Not on the screen: sources of formulas, and the raw values of tables.
    if (["STYLE", "SCRIPT", "annotation", "TABLE"].includes(node.nodeName)) return;
    for (const child of [...node.childNodes, ...(node.shadowRoot?.childNodes ?? [])]) look(child);
  };
  look(document.body);
  return found;
}"""

# Elements on which the keyboard focus changes nothing visible: neither on the element nor on a
# parent, which may draw the border of an input. Two of Streamlit's are left out: the link that
# moves into view, and a table, which draws the focus on its canvas.
UNMARKED = f"""async () => {{{TOOLS}
  const look = (element) => {{
    const seen = [];
    for (let at = element, i = 0; at && i < 6; i += 1, at = at.parentElement)
      for (const part of [null, "::before", "::after"]) {{
        const style = getComputedStyle(at, part);
        const {{ outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor }} = style;
        const outline = outlineStyle === "none" ? "" : outlineWidth;
        seen.push(outline, boxShadow, borderColor, backgroundColor, style.color, style.opacity);
        seen.push(style.textDecorationLine);
      }}
    return seen.join();
  }};
  const found = [];
  for (const element of inside(document)) {{
    if (element.tabIndex < 0 || !element.checkVisibility({{ visibilityProperty: true }})) continue;
    if (/stSkipToContent|data-grid-canvas/.test(element.dataset.testid)) continue;
    const before = look(element);
    element.focus({{ preventScroll: true }});
    if (!element.matches(":focus")) continue;
    const end = performance.now() + 1000; // Streamlit marks its inputs later
    while (look(element) === before && performance.now() < end)
      await new Promise(requestAnimationFrame);
    if (look(element) === before) found.push(element.outerHTML.slice(0, 150));
    element.blur();
  }}
  return found;
}}"""

# What is too wide where the page scrolls sideways, and boxes that the picture of a model cuts.
CUT = f"""() => {{{TOOLS}
  const all = inside(document);
  const boxes = [document.documentElement, document.querySelector("[data-testid=stMain]")];
  const fit = boxes.every((box) => box.scrollWidth <= box.clientWidth);
  const right = (each) => each.getBoundingClientRect().right;
  return all.filter((each) => !fit && right(each) > innerWidth)
    .sort((one, other) => right(other) - right(one)).slice(0, 4)
    .concat(all.filter((each) => each.matches(".picture a") && !each.checkVisibility()))
    .map((each) => `${{right(each)}} ${{each.outerHTML.slice(0, 150)}}`);
}}"""


# Texts on the screen, with the element of each; not those that a user or a model has written.
TEXTS = f"""{TOOLS}
const texts = () => inside(document.body).filter((each) => each.checkVisibility()
    && !each.closest("style, script, code, pre, .katex, .chips, .more")
    && !each.closest("[data-testid=stIconMaterial]"))
  .flatMap((each) => [...each.childNodes].filter((node) => node.nodeType === 3)
    .map((node) => [each, node]));
"""

# English sentences on a page in another language, outside quotation marks, also those for screen
# readers. Some are not ours: Streamlit's own words, and what a model reads and writes.
ENGLISH = rf"""() => {{{TEXTS}
  const named = ["aria-label", "title", "alt"].flatMap((name) =>
    inside(document.body).map((each) => each.getAttribute(name) ?? ""));
  const sentence = /(?:[A-Za-z]{{2,}}[,;:]? ){{2}}[A-Za-z]{{2,}}/;
  const theirs = new RegExp("Skip to main|Navigate to home|Download as CSV|"
    + "la fleur bleue|When Mary and John|food was not fantastic|et al. 20");
  const seen = [...texts().map(([, node]) => node.data), ...named]
    .filter((text) => sentence.test(text.replace(/“[^”]*”/g, "")) && !theirs.test(text));
  return [...new Set(seen)];
}}"""

# What no longer fits its place if every word is a third longer, as words of other languages are.
LONGER = f"""() => {{{TEXTS}
  const cut = ([each]) => each.scrollWidth > each.clientWidth + 1
    && /hidden|clip/.test(getComputedStyle(each).overflowX);
  const all = texts();
  const before = new Set(all.filter(cut).map(([each]) => each));
  for (const [, node] of all)
    node.data = node.data.replace(/[A-Za-z]{{3,}}/g, (word) =>
      word + word.slice(0, Math.ceil(word.length / 3)));
  return all.filter((each) => !before.has(each[0]) && cut(each))
    .map(([each, node]) => `${{node.data.slice(0, 60)}} ${{each.outerHTML.slice(0, 120)}}`);
}}"""


@pytest.fixture(scope="module")
def reader(pages, base) -> Iterator[Visitor]:
    """One page that opens all addresses, one after another."""
    with visits(pages, base) as visit:
        yield visit(base, Visitor)


@pytest.mark.parametrize(
    ("title", "address"), [(title, each) for title, found in ADDRESSES.items() for each in found]
)
def test_a_page_is_right_in_any_size_and_theme_and_by_keyboard(reader, title, address):
    page = reader.page
    reader.complaints.clear()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    response = page.goto(f"{reader.base}{address}")
    assert "script-src 'self'" in response.headers["content-security-policy"]
    expect(page).to_have_title(f"{title} · Headlight")
    reader.at_rest()
    page.wait_for_function(DRAWN)
    faults = {"light": serious_faults(reader, "light"), "dark": serious_faults(reader, "dark")}
    faults["numbers"] = page.evaluate(WRONG_NUMBERS)
    page.keyboard.press("Tab")  # from now on, the browser shows the focus
    faults["focus"] = page.evaluate(UNMARKED)
    for width in (1280, 700, 390):
        page.set_viewport_size({"width": width, "height": 844})
        with suppress(TimeoutError):
            page.wait_for_function(f"() => ({CUT})().length === 0")
        faults[f"{width} px"] = page.evaluate(CUT)
    faults["longer words"] = [*page.evaluate(LONGER), *page.evaluate(CUT)]
    reader.at_rest()
    faults["console"] = reader.complaints
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize("address", [each for found in ADDRESSES.values() for each in found])
def test_a_page_in_chinese_has_no_english_sentence_and_fits_a_phone(reader, address):
    page = reader.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{reader.base}{address}{'&' if '?' in address else '?'}lang=zh")
    page.wait_for_function("() => document.documentElement.lang === 'zh'")
    reader.at_rest()
    page.wait_for_function(DRAWN)
    assert page.evaluate(ENGLISH) == []
    with suppress(TimeoutError):
        page.wait_for_function(f"() => ({CUT})().length === 0")
    assert page.evaluate(CUT) == []


def test_a_token_that_is_a_word_of_streamlits_menu_stays_as_it_is_typed(reader):
    page = reader.page
    page.set_viewport_size({"width": 1280, "height": 900})  # a phone hides the box's button
    page.goto(f"{reader.base}/heads?left=smollm2&right=smollm2&text=Open+the+Light&lang=zh")
    boxes = page.get_by_test_id("stMultiSelect").last
    boxes.get_by_role("button", name="打开").click()
    expect(page.get_by_role("option")).to_have_text(["全选", "Open", "the", "Light"])
