"""Page object of the Calculator page."""

import numpy as np
from playwright.sync_api import expect

from tests.browser.visitor import Visitor
from tests.components.calculator import Cells, Parts, formatted

# The answer to exercise 1 by hand: 1 / (1 + e^-0.3536).
RIGHT = [["0.5875", "0.4125"], ["0.4125", "0.5875"]]


class CalculatorPage(Parts, Visitor):
    """The Calculator page of one visitor."""

    path = "/calculator"

    def open(self, **address: str) -> "CalculatorPage":
        self.go(**address)
        return self.drawn()

    def drawn(self) -> "CalculatorPage":
        """Wait until the content of the mode is drawn."""
        content = self.cells("weights").or_(self.page.get_by_text("Solved:"))
        expect(content.first).to_be_attached()
        self.at_rest()
        return self

    def fill(self, grid: str, cells: Cells) -> None:
        for i, row in enumerate(cells):
            for j, text in enumerate(row):
                self.cell(grid, i, j).fill(text)
                self.cell(grid, i, j).press("Tab")

    def near(self, matrix: str, values: np.ndarray) -> None:
        """Wait until a matrix of the steps shows the numbers of a model."""
        expect(self.at(matrix, 0, 0)).to_have_text(formatted(values[0, 0]))
        shown = [float(x.replace("−", "-")) for x in self.cells(matrix).all_text_contents()]
        shown = np.reshape(shown, values.shape)
        np.testing.assert_allclose(shown, values, rtol=0, atol=0.5e-4 + 1e-6)

    def marked(self, grid: str, *marks: str) -> None:
        """Wait until the cells of a practice grid have these marks."""
        expect(self.grid(grid).locator("td")).to_have_class(list(marks))
