"""axe-core finds no serious fault on any page, light or dark: contrast, names of elements.

`make js` installs axe-core.
"""

import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import PATIENCE, Visitor

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

VIEWS = (
    "/",
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_fault(visit, base, scheme):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make js")
    # The page's content security policy would block axe-core.
    visitor = visit(base, Visitor, color_scheme=scheme, bypass_csp=True)
    faults = {view: found for view in VIEWS if (found := serious_faults(visitor, view, scheme))}
    assert not faults


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


def serious_faults(visitor: Visitor, view: str, scheme: str) -> list[str]:
    visitor.page.goto(f"{visitor.base}{view}")
    return faults_found(visitor, scheme)


def faults_found(visitor: Visitor, scheme: str) -> list[str]:
    """The faults of a drawn page. The check repeats, because new elements first have no names."""
    visitor.at_rest()
    visitor.page.evaluate(AXE.read_text("utf-8"))  # the policy blocks a script tag
    end = time.monotonic() + PATIENCE / 4000
    while (found := visitor.page.evaluate(SERIOUS, RULES[scheme])) and time.monotonic() < end:
        visitor.page.wait_for_timeout(500)
    return found
