"""axe-core finds no serious fault on any page, light or dark: contrast, names of elements.

`make js` installs axe-core.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import visits
from tests.browser.visitor import PATIENCE, Visitor

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

VIEWS = (
    "/",
    "/model?left=minilm",
    "/model?left=smollm2&zoom=layer",
    "/model?left=phrases&zoom=head",
    "/model?left=minilm&zoom=score",
    "/layers",
    "/layers?part=profile",
    "/layers?part=stream",
    "/heads",
    "/heads?part=links",
    "/heads?part=map",
    "/heads?part=corpus",
    "/heads?part=change",
    "/heads?part=tuned",
    "/decoder",
    "/decoder?part=masks&mask=causal&inverted=1&below=cost",
    "/decoder?part=masks&mask=window&below=reach",
    "/calculator",
    "/calculator?mode=whole",
    "/calculator?mode=practice",
    "/calculator?mode=norms",
    "/positions",
    "/about",
)

# The dark theme changes only the colours, so only the rules on colours run again.
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}

SERIOUS = """async (rules) =>
  (await axe.run(document, { resultTypes: ["violations"], ...rules })).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
    `${id}: ${html.slice(0, 120)} ${[...any, ...all, ...none][0]?.message ?? ""}`))"""


@pytest.fixture(scope="module")
def reader(pages, base) -> Iterator[Visitor]:
    """A visitor whose browser accepts axe-core, which the content security policy would block."""
    with visits(pages, base) as visit:
        yield visit(base, Visitor, bypass_csp=True)


@pytest.mark.parametrize("view", VIEWS)
def test_no_page_has_a_serious_fault(reader, view):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make js")
    reader.page.emulate_media(color_scheme="light")
    reader.page.goto(f"{reader.base}{view}")
    assert not faults_found(reader, "light")
    # A page follows the system's setting while it is open.
    reader.page.emulate_media(color_scheme="dark")
    expect(reader.page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    assert not faults_found(reader, "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_open_popover_has_no_serious_fault(visit, base, scheme):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make js")
    visitor = visit(base, Visitor, color_scheme=scheme)
    visitor.go()
    visitor.at_rest()
    visitor.page.get_by_role("button", name="Display").click()
    expect(visitor.page.get_by_test_id("stPopoverBody").get_by_text("Heatmap")).to_be_visible()
    # The button under the pointer has another colour.
    visitor.page.get_by_role("button", name="Copy link").hover()
    assert not faults_found(visitor, scheme)


def faults_found(visitor: Visitor, scheme: str) -> list[str]:
    """The faults of a drawn page. The check repeats, because new elements first have no names."""
    visitor.at_rest()
    if not visitor.page.evaluate("'axe' in window"):
        visitor.page.evaluate(AXE.read_text("utf-8"))  # the policy blocks a script tag
    end = time.monotonic() + PATIENCE / 4000
    while (found := visitor.page.evaluate(SERIOUS, RULES[scheme])) and time.monotonic() < end:
        visitor.page.wait_for_timeout(100)
    return found
