"""axe-core on an open page. `make js` installs it."""

import time
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.visitor import PATIENCE, Visitor

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

# The dark theme changes only the colours, so only the rules on colours run again.
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}

SERIOUS = """async (rules) =>
  (await axe.run(document, { resultTypes: ["violations"], preload: false, ...rules })).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
    `${id}: ${html.slice(0, 120)} ${[...any, ...all, ...none][0]?.message ?? ""}`))"""


def serious_faults(visitor: Visitor, scheme: str) -> list[str]:
    """The faults of a drawn page. The check repeats, because new elements first have no names."""
    visitor.page.emulate_media(color_scheme=scheme)
    expect(visitor.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
    if not visitor.page.evaluate("'axe' in window"):
        visitor.page.evaluate(AXE.read_text("utf-8"))
    end = time.monotonic() + PATIENCE / 4000
    while (found := visitor.page.evaluate(SERIOUS, RULES[scheme])) and time.monotonic() < end:
        visitor.page.wait_for_timeout(100)
    return found
