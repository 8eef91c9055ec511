"""Base class of pages whose charts are identified by their keys."""

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

# A chart's numbers after the browser has decoded them.
NUMBERS = "(chart) => Array.from(chart._fullData[0].z, (row) => Array.from(row))"


class ChartPage(Visitor):
    """A page of one visitor, with the numbers of its heatmaps."""

    def figure(self, key: str) -> Locator:
        # Select by the chart's own key: when the user changes the part, a container may briefly
        # contain the chart of the previous part too.
        return self.part(f"{key}_chart").locator(".js-plotly-plot")

    def drawn(self, key: str) -> None:
        expect(self.figure(key)).to_be_visible()

    def z(self, key: str) -> np.ndarray:
        return np.array(self.figure(key).evaluate(NUMBERS))
