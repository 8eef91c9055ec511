"""Page object of the Calculator page."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from playwright.sync_api import Locator, expect

from model.calculator import Calculation, from_qkv, numbers
from tests.browser.visitor import Visitor

# The answer to exercise 1 by hand: 1 / (1 + e^-0.3536).
RIGHT = [["0.5875", "0.4125"], ["0.4125", "0.5875"]]

Cells = Sequence[Sequence[str]]

# The numbers of PRESETS["exercise"], the default.
FIRST: dict[str, Cells] = {
    "q": (("1", "0"), ("0", "1")),
    "k": (("1", "0"), ("0.5", "0.5")),
    "v": (("2", "0"), ("1", "1")),
}

# The card that computes each matrix; other cards may contain it as an operand.
RESULTS = {"raw_scores": "raw_scores", "allowed": "mask", "weights": "softmax"}
RESULTS |= {"context": "context"}


def calculate(**changed: Cells) -> Calculation:
    """The expected calculation of the default numbers, some of them changed."""
    cells = {**FIRST, **changed}
    q, k, v = (numbers(name.upper(), cells[name]) for name in "qkv")
    return from_qkv(q, k, v)


def formatted(value: float) -> str:
    """A number in the format of the page."""
    text = str(Decimal(float(value)).quantize(Decimal("0.0001"), ROUND_HALF_UP))
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


class CalculatorPage(Visitor):
    """The Calculator page of one visitor."""

    path = "/calculator"

    def open(self, **address: str) -> "CalculatorPage":
        self.go(**address)
        return self.drawn()

    def drawn(self) -> "CalculatorPage":
        """Wait until the content of the mode is drawn."""
        content = self.cells("weights").or_(self.page.get_by_text("Score:"))
        expect(content.first).to_be_attached()
        self.at_rest()
        return self

    def grid(self, name: str) -> Locator:
        return self.page.locator(f".grids [data-grid={name}]")

    def cell(self, grid: str, row: int, column: int) -> Locator:
        return self.grid(grid).locator("tr").nth(row + 1).locator("td input").nth(column)

    def table(self, matrix: str) -> Locator:
        card = self.part("steps").locator(f"section[data-card={RESULTS[matrix]}]")
        return card.locator(f"[data-matrix={matrix}]").first

    def cells(self, matrix: str) -> Locator:
        """The cells of a matrix in the steps, by rows."""
        return self.table(matrix).locator("td:not(.more)")

    def row_names(self, matrix: str) -> Locator:
        return self.table(matrix).locator("tr > th:first-child")

    def at(self, matrix: str, row: int, column: int) -> Locator:
        return self.table(matrix).locator("tr").nth(row + 1).locator("td").nth(column)

    def type(self, grid: str, row: int, column: int, text: str) -> None:
        self.cell(grid, row, column).fill(text)
        self.cell(grid, row, column).press("Enter")

    def fill(self, grid: str, cells: Cells) -> None:
        for i, row in enumerate(cells):
            for j, text in enumerate(row):
                self.cell(grid, i, j).fill(text)
                self.cell(grid, i, j).press("Tab")

    def shows(self, matrix: str, values: Sequence[Sequence[float]]) -> None:
        """Wait until a matrix of the steps shows exactly these numbers."""
        expect(self.cells(matrix)).to_have_text([formatted(x) for row in values for x in row])

    def near(self, matrix: str, values: np.ndarray) -> None:
        """Wait until a matrix of the steps shows the numbers of a model."""
        expect(self.at(matrix, 0, 0)).to_have_text(formatted(values[0, 0]))
        shown = [float(x.replace("−", "-")) for x in self.cells(matrix).all_text_contents()]
        shown = np.reshape(shown, values.shape)
        np.testing.assert_allclose(shown, values, rtol=0, atol=0.5e-4 + 1e-6)

    def holds(self, grid: str, *texts: str) -> None:
        """Wait until a grid contains exactly these texts."""
        cells = self.grid(grid).locator("td input")
        expect(cells).to_have_count(len(texts))
        for index, text in enumerate(texts):
            expect(cells.nth(index)).to_have_value(text)

    def expect_steps(self, truth: Calculation) -> None:
        """Wait until the first and the last steps show the true numbers."""
        self.shows("raw_scores", truth.steps.raw_scores[0].tolist())
        self.shows("weights", truth.steps.weights[0].tolist())
        self.shows("context", truth.steps.context[0].tolist())
        expect(self.page.locator(".grids .problem:not(:empty)")).to_have_count(0)

    def marked(self, grid: str, *marks: str) -> None:
        """Wait until the cells of a practice grid have these marks."""
        expect(self.grid(grid).locator("td")).to_have_class(list(marks))
