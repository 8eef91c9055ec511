"""A whole layer in the browser: click a cell of W^O's output, and read how it came about."""

import pytest
from playwright.sync_api import expect

from pages.calculator.asked import Asked
from pages.calculator.whole_layer_task import Layer
from tests.browser.calculator_page import written
from tests.browser.explore_page import DEFAULT

pytestmark = pytest.mark.browser

OUTPUT, CARD = "self_output", "self_project_out"
IT, COLUMN = 10, 2


def test_a_cell_of_what_leaves_w_o_is_spelled_out_with_true_numbers(calculator):
    calculator.open(mode="whole", layer="3", head="1", token=str(IT))
    matrices = Layer(Asked("scratch", "encoder", DEFAULT), 3, 1, IT, 0, 0, 0, 0).matrices()
    row, weights = matrices["self_concatenated"][IT], matrices["self_W_O"][:, COLUMN]
    terms = row * weights
    largest = abs(terms).argmax()
    rest = sorted(terms, key=abs)[:-8]

    cell = calculator.at(OUTPUT, 0, COLUMN, CARD)
    expect(cell).to_have_text(written(matrices[OUTPUT][IT, COLUMN]))
    cell.click()
    spelled = calculator.spelled(CARD)
    expect(spelled).to_contain_text(f"[it, {COLUMN}] = ")
    expect(spelled).to_contain_text(f"({len(rest)} smaller terms, together {written(sum(rest))})")
    first = [written(x) for x in (row[largest], weights[largest])]
    first = [f"({text})" if text.startswith("−") else text for text in first]
    expect(spelled).to_contain_text(f"] = {' × '.join(first)} + ")
    expect(spelled).to_contain_text(f" = {written(matrices[OUTPUT][IT, COLUMN])}")
    assert (OUTPUT, 0, COLUMN) in calculator.marked(CARD, "chosen")
    assert {cell for cell in calculator.marked(CARD, "lit") if cell[0] == "self_W_O"} == {
        ("self_W_O", i, COLUMN) for i in range(3)
    }
    calculator.address_says(mode="whole", look=f"|{OUTPUT}.0.{COLUMN}", token=str(IT))

    # A weight was worked out nowhere: its cell leads to what it goes into.
    calculator.at("self_W_O", 1, 4, CARD).click()
    expect(spelled).to_contain_text("[it, 4] = ")
    calculator.step("Add & Norm").first.click()
    expect(calculator.card(CARD)).to_be_hidden()
    expect(calculator.spelled("self_add")).to_contain_text("σ² = (")
    calculator.no_nan()
