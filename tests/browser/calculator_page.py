"""Page object of the Calculator page."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from playwright.sync_api import Locator, expect

from model.calculator import Calculation, Settings, from_qkv, numbers
from tests.browser.visitor import Visitor

Cells = Sequence[Sequence[str]]

IDENTITY: Cells = (("1", "0"), ("0", "1"))
# The numbers of PRESETS["exercise"], the default.
FIRST = {"q": IDENTITY, "k": (("1", "0"), ("0.5", "0.5")), "v": (("2", "0"), ("1", "1"))}

RESULTS = {
    "Q_heads": "project",
    "raw_scores": "raw_scores",
    "scaled_scores": "scale",
    "allowed": "mask",
    "masked_scores": "mask",
    "exponentials": "softmax",
    "row_sums": "softmax",
    "weights": "softmax",
    "context": "context",
    "concatenated": "concat",
    "output": "project_out",
    "wrong_weights": "mistake",
    "wrong_context": "mistake",
}
"""The card that computes each matrix; other cards may contain it as an operand."""

MARKED = """(cards, mark) => cards.flatMap((card) => [...card.querySelectorAll("table")].flatMap(
  (table) => [...table.querySelectorAll(`td.${mark}`)].map((cell) =>
    [table.dataset.matrix, cell.parentElement.rowIndex - 1, cell.cellIndex - 1])))"""

# Cells of a spreadsheet in the clipboard's format.
PASTE = """(input, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  if (input.dispatchEvent(event)) throw new Error("the block was not taken");
}"""

NAN = re.compile(r"\bnan\b|\bNaN\b|\binf(inity)?\b", re.IGNORECASE)


def calculate(settings: Settings | None = None, **changed: Cells) -> Calculation:
    """The expected calculation of the default numbers, some of them changed."""
    cells = {**FIRST, **changed}
    q, k, v = (numbers(name.upper(), cells[name]) for name in "qkv")
    return from_qkv(q, k, v, settings)


def formatted(value: float, decimals: int = 4) -> str:
    """A number in the format of the page."""
    if value == -float("inf"):
        return "−∞"
    text = str(Decimal(float(value)).quantize(Decimal(10) ** -decimals, ROUND_HALF_UP))
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


class CalculatorPage(Visitor):
    """The Calculator page of one visitor."""

    path = "/calculator"

    # -- navigation ----------------------------------------------------------------------------

    def open(self, **address: str) -> "CalculatorPage":
        self.go(**address)
        return self.drawn()

    def drawn(self) -> "CalculatorPage":
        """Wait until the content of the mode is drawn."""
        content = self.cells("weights").or_(self.arithmetic("softmax")).or_(self.problems())
        content = content.or_(self.card("enter"))
        practice = self.page.get_by_text("Score:").or_(self.part("spread_one_query"))
        expect(content.or_(practice).first).to_be_attached()
        self.at_rest()
        return self

    # -- elements ------------------------------------------------------------------------------

    def grid(self, name: str) -> Locator:
        return self.page.locator(f".grids [data-grid={name}]")

    def cell(self, grid: str, row: int, column: int) -> Locator:
        """A cell of an editable grid."""
        return self.grid(grid).locator("tr").nth(row + 1).locator("td input").nth(column)

    def name(self, row: int) -> Locator:
        """The name input of a token in the first grid."""
        return self.page.get_by_label(f"name of token {row}", exact=True).first

    def card(self, card: str) -> Locator:
        return self.part("steps").locator(f"section[data-card={card}]")

    def table(self, matrix: str, card: str | None = None) -> Locator:
        tables = self.card(card or RESULTS[matrix]).locator(f"[data-matrix={matrix}]")
        return tables.first  # a mistake's wrong weights appear twice

    def cells(self, matrix: str, card: str | None = None) -> Locator:
        """The cells of a matrix in the steps, by rows."""
        return self.table(matrix, card).locator("td:not(.more)")

    def row_names(self, matrix: str) -> Locator:
        """The row names of a matrix in the steps."""
        return self.table(matrix).locator("tr > th:first-child")

    def at(self, matrix: str, row: int, column: int, card: str | None = None) -> Locator:
        return self.table(matrix, card).locator("tr").nth(row + 1).locator("td").nth(column)

    def arithmetic(self, card: str) -> Locator:
        return self.card(card).locator(".spelled")

    def problems(self) -> Locator:
        """The error at a grid or in a step."""
        return self.page.locator(".grids .problem, .steps .problem").filter(
            has_text=re.compile(".")
        )

    def sheet(self) -> Locator:
        return self.part("steps").locator(".steps")

    def step(self, title: str) -> Locator:
        return self.part("steps").locator("nav button").filter(has_text=title)

    # -- input ---------------------------------------------------------------------------------

    def type(self, grid: str, row: int, column: int, text: str) -> None:
        self.cell(grid, row, column).fill(text)
        self.cell(grid, row, column).press("Enter")

    def paste(self, grid: str, row: int, column: int, block: str) -> None:
        self.cell(grid, row, column).focus()
        self.cell(grid, row, column).evaluate(PASTE, block)

    def resize(self, grid: str, axis: str, sign: str) -> None:
        self.page.get_by_role("button", name=f"{grid.upper()}: {axis} {sign}", exact=True).click()

    def choose(self, box: str, option: str) -> None:
        self.box(box).fill(option)
        self.page.keyboard.press("Enter")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    # -- expectations --------------------------------------------------------------------------

    def shows(self, matrix: str, values: Sequence[Sequence[float]], decimals: int = 4) -> None:
        """Wait until a matrix of the steps shows exactly these numbers."""
        texts = [formatted(value, decimals) for row in values for value in row]
        expect(self.cells(matrix)).to_have_text(texts)

    def holds(self, grid: str, *texts: str) -> None:
        """Wait until a grid contains exactly these texts."""
        cells = self.grid(grid).locator("td input")
        expect(cells).to_have_count(len(texts))
        for index, text in enumerate(texts):
            expect(cells.nth(index)).to_have_value(text)

    def expect_steps(self, truth: Calculation, head: int = 0, decimals: int = 4) -> None:
        """Wait until every step shows the true numbers."""
        steps = truth.steps
        for matrix, values in {
            "raw_scores": steps.raw_scores[head],
            "scaled_scores": steps.scaled_scores[head],
            "masked_scores": steps.masked_scores[head],
            "exponentials": truth.exponentials[head],
            "row_sums": truth.row_sums[head, :, None],
            "weights": steps.weights[head],
            "context": steps.context[head],
        }.items():
            self.shows(matrix, values.tolist(), decimals)
        expect(self.problems()).to_have_count(0)

    def marked_cells(self, card: str, mark: str) -> list[tuple[str, int, int]]:
        """(matrix, row, column) of the cells of a card with a mark: lit or chosen."""
        return [tuple(cell) for cell in self.card(card).evaluate_all(MARKED, mark)]

    def expect_no_nan(self) -> None:
        """No cell and no other text of the page contains nan."""
        words = self.page.locator("body, .grids, .steps").all_text_contents()
        assert not [found[0] for text in words if (found := NAN.search(text))]
