"""Grids and steps of the Calculator on the static page."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

from model.calculator import Calculation, CalculatorSettings, from_qkv, numbers
from tests.components.conftest import Board

Cells = Sequence[Sequence[str]]

# The numbers of PRESETS["exercise"], the default.
FIRST: dict[str, Cells] = {
    "q": [["1", "0"], ["0", "1"]],
    "k": [["1", "0"], ["0.5", "0.5"]],
    "v": [["2", "0"], ["1", "1"]],
}
NAMES = {"tokens": ["dogs", "bark"], "sources": []}

DRAWN = {"own": ("grids", "steps"), "practice": ("answer_grids",), "head": ("steps",)}

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


def calculate(settings: CalculatorSettings | None = None, **changed: Cells) -> Calculation:
    """The expected calculation of the default numbers, some of them changed."""
    cells = {**FIRST, **changed}
    q, k, v = (numbers(name.upper(), cells[name]) for name in "qkv")
    return from_qkv(q, k, v, settings)


def formatted(value: float) -> str:
    """A number in the format of the page."""
    if value == -float("inf"):
        return "−∞"
    text = str(Decimal(float(value)).quantize(Decimal("0.0001"), ROUND_HALF_UP))
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


class Parts:
    """Grids and steps of the Calculator, on the static page or on that of a server."""

    page: Page

    def grid(self, name: str) -> Locator:
        return self.page.locator(f".grids [data-grid={name}]")

    def cell(self, grid: str, row: int, column: int) -> Locator:
        return self.grid(grid).locator("tr").nth(row + 1).locator("td input").nth(column)

    def card(self, card: str) -> Locator:
        return self.page.locator(".st-key-steps").locator(f"section[data-card={card}]")

    def table(self, matrix: str, card: str | None = None) -> Locator:
        tables = self.card(card or RESULTS[matrix]).locator(f"[data-matrix={matrix}]")
        return tables.first  # a mistake's wrong weights appear twice

    def cells(self, matrix: str) -> Locator:
        return self.table(matrix).locator("td:not(.more)")

    def row_names(self, matrix: str) -> Locator:
        return self.table(matrix).locator("tr > th:first-child")

    def at(self, matrix: str, row: int, column: int, card: str | None = None) -> Locator:
        return self.table(matrix, card).locator("tr").nth(row + 1).locator("td").nth(column)

    def type(self, grid: str, row: int, column: int, text: str) -> None:
        self.cell(grid, row, column).fill(text)
        self.cell(grid, row, column).press("Enter")

    def shows(self, matrix: str, values: Sequence[Sequence[float]]) -> None:
        texts = [formatted(value) for row in values for value in row]
        expect(self.cells(matrix)).to_have_text(texts)

    def holds(self, grid: str, cells: Cells) -> None:
        inputs = self.grid(grid).locator("td input")
        texts = [text for row in cells for text in row]
        expect(inputs).to_have_count(len(texts))
        for index, text in enumerate(texts):
            expect(inputs.nth(index)).to_have_value(text)

    def expect_steps(self, truth: Calculation, head: int = 0) -> None:
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
            self.shows(matrix, values.tolist())


class Calculator(Parts):
    """The Calculator's components, drawn with the data of a URL with these parameters."""

    def __init__(self, board: Board, **address: str) -> None:
        self.board = board
        self.page = board.page
        self.address = {"mode": "own", **address}
        self.answer()

    def answer(self, *keys: str, state: dict[str, object] | None = None, **changed: str) -> None:
        """Draw components, by default those of the mode, with other parameters of the URL."""
        self.address |= changed
        keys = keys or DRAWN[self.address["mode"]]
        self.board.draw(f"calculator?{urlencode(self.address)}", *keys, state=state)

    def size(self, grid: str, axis: str, sign: str) -> Locator:
        """The button that adds or removes rows or columns."""
        name = f"{grid.upper()}: {axis} {sign}"
        return self.page.get_by_role("button", name=name, exact=True)

    def titles(self) -> Locator:
        """The titles of the steps that are visible."""
        return self.board.part("steps").locator("section:visible h3")

    def arithmetic(self, card: str) -> Locator:
        return self.card(card).locator(".spelled")

    def step(self, title: str) -> Locator:
        return self.board.part("steps").locator("nav button").filter(has_text=title)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def paste(self, grid: str, row: int, column: int, block: str) -> None:
        self.page.evaluate("(block) => navigator.clipboard.writeText(block)", block)
        self.cell(grid, row, column).focus()
        self.page.keyboard.press("Control+v")

    def expect_sent(self, number: int, **changed: Cells) -> None:
        """Wait until an edit sends all cells: the default ones, some of them changed."""
        fields = {"cells": {**FIRST, **changed}, "names": NAMES}
        self.board.expect_event("edited", {"number": number, "fields": fields})

    def expect_look(self, number: int, card: str, *cell: str | int, **more: object) -> None:
        family, row, column = cell or ("", 0, 0)
        look = {"card": card, "family": family, "row": row, "column": column}
        self.board.expect_event("edited", {"number": number, "fields": {**more, "look": look}})

    def marked_cells(self, card: str, mark: str) -> list[tuple[str, int, int]]:
        """(matrix, row, column) of the cells of a card with a mark: lit or chosen."""
        return [tuple(cell) for cell in self.card(card).evaluate_all(MARKED, mark)]
