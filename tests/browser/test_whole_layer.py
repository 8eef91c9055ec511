"""A whole layer in the browser: a click on a cell shows its arithmetic."""

import pytest
from playwright.sync_api import expect

from pages.calculator.layer_calculation import LayerCalculation
from pages.calculator.request import StackRequest
from tests.browser.calculator_page import formatted
from tests.browser.explore_page import DEFAULT

pytestmark = pytest.mark.browser

OUTPUT, CARD = "self_output", "self_project_out"
IT, COLUMN = 10, 2


def test_a_cell_of_the_output_shows_its_arithmetic_with_true_numbers(calculator):
    calculator.open(mode="whole", layer="3", head="1", token=str(IT))
    matrices = LayerCalculation(
        StackRequest("scratch", "encoder", DEFAULT), 3, 1, IT, 0, 0, 0, 0
    ).matrices()
    row, weights = matrices["self_concatenated"][IT], matrices["self_W_O"][:, COLUMN]
    terms = row * weights
    largest = abs(terms).argmax()
    rest = sorted(terms, key=abs)[:-8]

    cell = calculator.at(OUTPUT, 0, COLUMN, CARD)
    expect(cell).to_have_text(formatted(matrices[OUTPUT][IT, COLUMN]))
    cell.click()
    spelled = calculator.arithmetic(CARD)
    expect(spelled).to_contain_text(f"[it, {COLUMN}] = ")
    expect(spelled).to_contain_text(f"({len(rest)} smaller terms, together {formatted(sum(rest))})")
    first = [formatted(x) for x in (row[largest], weights[largest])]
    first = [f"({text})" if text.startswith("−") else text for text in first]
    expect(spelled).to_contain_text(f"] = {' × '.join(first)} + ")
    expect(spelled).to_contain_text(f" = {formatted(matrices[OUTPUT][IT, COLUMN])}")
    assert (OUTPUT, 0, COLUMN) in calculator.marked_cells(CARD, "chosen")
    assert {cell for cell in calculator.marked_cells(CARD, "lit") if cell[0] == "self_W_O"} == {
        ("self_W_O", i, COLUMN) for i in range(3)
    }
    calculator.address_says(mode="whole", look=f"|{OUTPUT}.0.{COLUMN}", token=str(IT))

    # No line computes a weight: a click on it selects the result that uses it.
    calculator.at("self_W_O", 1, 4, CARD).click()
    expect(spelled).to_contain_text("[it, 4] = ")
    calculator.step("Add & Norm").first.click()
    expect(calculator.card(CARD)).to_be_hidden()
    expect(calculator.arithmetic("self_add")).to_contain_text("σ² = (")
    calculator.expect_no_nan()
