"""A visitor of a page whose charts are known by their keys."""

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

# A chart's numbers, as the browser has decoded them.
NUMBERS = "(chart) => Array.from(chart._fullData[0].z, (row) => Array.from(row))"


class ChartPage(Visitor):
    """One visitor, and the numbers of the heatmaps on screen."""

    def figure(self, key: str) -> Locator:
        # By the chart's own key: while one part follows another, a container may for a moment hold
        # the old part's chart as well.
        return self.part(f"{key}_chart").locator(".js-plotly-plot")

    def drawn(self, key: str) -> None:
        expect(self.figure(key)).to_be_visible()

    def z(self, key: str) -> np.ndarray:
        return np.array(self.figure(key).evaluate(NUMBERS))
