import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from model.calculator import PRESETS, CalculatorSettings, from_projections, mistake, numbers
from tests.components.calculator import Calculator, calculate, formatted
from tests.components.conftest import PHONE, components_of
from tests.components.explore import ANIMAL, DEFAULT, IT, truth
from viz import distinct

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=a(1)>"
HUGE = "1e308"
HEAD = {"mode": "head", "left": "minilm", "layer": "3", "head": "1"}
TRANSPARENT = "rgba(0, 0, 0, 0)"
SHARES = "(cells) => cells.map((cell) => Number(cell.style.getPropertyValue('--share')))"


@pytest.fixture
def calculator(board) -> Calculator:
    return Calculator(board)


def test_every_step_shows_its_numbers_and_an_answer_replaces_them(calculator):
    calculator.expect_steps(calculate())
    calculator.shows("weights", [[0.5875, 0.4125], [0.4125, 0.5875]])  # by hand: 1 / (1 + e^-0.354)
    shares = calculator.cells("weights").evaluate_all(SHARES)
    weights = calculate().steps.weights.flatten().tolist()
    np.testing.assert_allclose(shares, np.multiply(weights, 0.75), atol=1e-6)
    calculator.answer(
        q="-3~c5,0;2,-1;0~c5,4", k="1,0;0.5,0.5;0,0", v="2,0;1,1;7,0", tokens=f"{MARKUP}|bark"
    )
    calculator.expect_steps(
        calculate(
            q=[["-3.5", "0"], ["2", "-1"], ["0.5", "4"]],
            k=[["1", "0"], ["0.5", "0.5"], ["0", "0"]],
            v=[["2", "0"], ["1", "1"], ["7", "0"]],
        )
    )
    expect(calculator.row_names("weights")).to_have_text(["", MARKUP, "bark", "token 2"])
    expect(calculator.arithmetic("raw_scores")).to_contain_text(f"S({MARKUP}, {MARKUP})")
    assert calculator.page.locator("img").count() == 0  # and `board` saw no error


def test_a_click_on_a_score_shows_its_row_of_q_and_column_of_k(board):
    calculator = Calculator(board, decimals="2")
    calculator.at("raw_scores", 0, 1, "raw_scores").click()
    calculator.expect_look(1, "", "pair", 0, 1)
    expect(calculator.arithmetic("raw_scores")).to_have_text(
        "S(dogs, bark) = 1.00 × 0.50 + 0.00 × 0.50 = 0.50"
    )
    operands = [("Q", 0, 0), ("Q", 0, 1), ("K_T", 0, 1), ("K_T", 1, 1)]
    assert calculator.marked_cells("raw_scores", "lit") == operands
    assert calculator.marked_cells("raw_scores", "chosen") == [("raw_scores", 0, 1)]
    # The next steps select the same cell.
    expect(calculator.arithmetic("scale")).to_have_text("S′(dogs, bark) = 0.50 ÷ 1.41 = 0.35")
    expect(calculator.arithmetic("softmax")).to_contain_text("(dogs, bark) = 0.70 ÷ 1.70 = 0.41")
    assert calculator.marked_cells("softmax", "chosen") == [("weights", 0, 1)]
    calculator.at("context", 1, 0).click()
    calculator.expect_look(2, "", "context", 1, 0)
    expect(calculator.arithmetic("context")).to_have_text(
        "Z(bark, 0) = 0.41 × 2.00 + 0.59 × 1.00 = 1.41"
    )
    operands = [("weights", 1, 0), ("weights", 1, 1), ("V", 0, 0), ("V", 1, 0)]
    assert calculator.marked_cells("context", "lit") == operands
    # A click on an operand selects it in the step that computes it, and its query in all steps.
    calculator.at("weights", 0, 1, "context").click()
    calculator.expect_look(3, "", "pair", 0, 1)
    expect(calculator.arithmetic("context")).to_contain_text("Z(dogs, 0) = 0.59 × 2.00")


def test_a_link_selects_a_cell_and_a_late_answer_does_not(calculator):
    calculator.answer(look="|context.1.0")
    expect(calculator.arithmetic("context")).to_contain_text("Z(bark, 0) = 0.4125 × 2.0000")
    calculator.at("weights", 0, 1).click()
    calculator.at("weights", 1, 1).click()
    calculator.answer(look="|pair.0.1", state={"steps_acknowledged": 1})
    assert calculator.marked_cells("softmax", "chosen") == [("weights", 1, 1)]
    calculator.answer(look="softmax|pair.1.0")  # Back
    assert calculator.marked_cells("softmax", "chosen") == [("weights", 1, 0)]
    expect(calculator.titles()).to_have_text(["4 · Softmax"])
    expect(calculator.step("Softmax")).to_have_attribute("aria-pressed", "true")


def test_arrow_keys_move_between_cells_and_enter_selects_one(calculator):
    stops = calculator.table("raw_scores", "raw_scores").locator("td[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    for key in ("ArrowDown", "ArrowRight"):
        calculator.page.keyboard.press(key)
    expect(calculator.at("raw_scores", 1, 1, "raw_scores")).to_be_focused()
    expect(calculator.arithmetic("raw_scores")).to_contain_text("(dogs, dogs)")
    calculator.page.keyboard.press("Enter")
    calculator.expect_look(1, "", "pair", 1, 1)
    expect(calculator.arithmetic("raw_scores")).to_contain_text("(bark, bark)")
    calculator.answer()
    expect(calculator.at("raw_scores", 1, 1, "raw_scores")).to_be_focused()


def test_a_single_step_is_opened_and_the_toolbar_keeps_the_focus(calculator):
    expect(calculator.titles()).to_have_count(5)
    calculator.step("Scale").focus()
    calculator.page.keyboard.press("Enter")
    calculator.expect_look(1, "scale")
    expect(calculator.titles()).to_have_text(["2 · Scale"])
    expect(calculator.step("Scale")).to_have_attribute("aria-pressed", "true")
    calculator.answer(look="scale|", mistake="wrong_axis")  # another step in the toolbar
    expect(calculator.step("Scale")).to_be_focused()
    for key in ("Home", "ArrowRight"):
        calculator.page.keyboard.press(key)
    expect(calculator.step("1 Compare queries with keys")).to_be_focused()
    expect(calculator.board.part("steps").locator("nav button[tabindex='0']")).to_have_count(1)
    calculator.button("All steps").click()
    calculator.expect_look(2, "")
    expect(calculator.titles()).to_have_count(6)
    link = calculator.card("scale").get_by_role("link")
    expect(link).to_have_attribute("href", "calculator?mode=spread")


def test_a_click_on_the_mask_hides_a_key_and_a_query_without_keys_is_an_error(calculator):
    calculator.at("allowed", 0, 1).click()
    calculator.board.expect_event("edited", {"number": 1, "fields": {"0-1": False}})
    calculator.answer(mask="custom", hidden="0-1")
    expect(calculator.cells("allowed")).to_have_text(["✓", "✗", "✓", "✓"])
    calculator.expect_steps(
        calculate(CalculatorSettings(mask="custom", hidden=frozenset({(0, 1)})))
    )
    calculator.at("allowed", 0, 0).focus()
    calculator.page.keyboard.press("Enter")
    calculator.board.expect_event("edited", {"number": 2, "fields": {"0-0": False}})
    calculator.answer(hidden="0-0.0-1")  # without the later steps
    expect(calculator.card("mask").locator(".problem")).to_contain_text(
        "The mask hides every key from query “dogs”, so its softmax would divide 0 by 0."
    )
    expect(calculator.titles()).to_have_count(3)
    expect(calculator.at("allowed", 0, 0)).to_be_focused()
    calculator.at("allowed", 0, 1).click()
    calculator.board.expect_event("edited", {"number": 3, "fields": {"0-1": True}})


def test_clicks_before_the_answer_all_count(calculator):
    clicked = [calculator.at(*cell) for cell in (("allowed", 0, 1), ("weights", 1, 0))]
    clicked += [calculator.at("allowed", 1, 0)] * 2 + [calculator.at("allowed", 1, 1)]
    cells = [cell.element_handle() for cell in clicked]
    calculator.page.evaluate("(cells) => cells.forEach((cell) => cell.click())", cells)
    look = {"card": "", "family": "pair", "row": 1, "column": 0}
    fields = {"0-1": False, "look": look, "1-0": True, "1-1": False}  # 1-0 was clicked twice
    calculator.board.expect_event("edited", {"number": 5, "fields": fields})


def test_an_overflow_is_an_error_in_its_step_and_hides_the_old_numbers(calculator):
    sheet = calculator.board.part("steps").locator(".steps")
    first = calculator.cells("context").first
    colour = "(cell) => getComputedStyle(cell).color"
    assert first.evaluate(colour) != TRANSPARENT
    calculator.answer(q=f"{HUGE},0;0,1", k=f"{HUGE},0;0.5,0.5")
    problems = sheet.locator(".problem:not(:empty)")
    expect(problems).to_have_count(1)
    expect(calculator.card("raw_scores").locator(".problem")).to_contain_text(
        "Row 0, column 0 of S is larger than any 64-bit number"
    )
    expect(sheet).to_have_class("steps waiting")
    assert first.evaluate(colour) == TRANSPARENT
    expect(calculator.arithmetic("raw_scores")).to_be_hidden()
    calculator.answer(q="1,0;0,1", k="1,0;0.5,0.5")
    expect(problems).to_have_count(0)
    assert first.evaluate(colour) != TRANSPARENT


def test_two_heads_are_projected_joined_and_mixed_by_w_o(board):
    cells = PRESETS["heads"].cells
    found = {name: numbers(name, cells[name]) for name in ("X", "W_Q", "W_K", "W_V", "W_O")}
    both = from_projections(*found.values(), n_heads=2)
    address = {"form": "x", "tokens": "|".join(PRESETS["heads"].queries), "followed": "1"}
    calculator = Calculator(board, **address)
    calculator.expect_steps(both, head=1)
    calculator.shows("Q_heads", both.q.transpose(0, 1).flatten(1).tolist())
    calculator.shows("concatenated", both.concatenated.tolist())
    calculator.shows("output", both.output.tolist())
    calculator.at("output", 2, 1).click()
    calculator.expect_look(1, "", "project_O", 2, 1)
    products = zip(both.concatenated[2].tolist(), both.w_o[:, 1].tolist(), strict=True)
    terms = " + ".join(f"{formatted(a)} × {formatted(b)}" for a, b in products)
    arithmetic = f"Y(mice, 1) = {terms} = {formatted(both.output[2, 1])}"
    expect(calculator.arithmetic("project_out")).to_have_text(arithmetic)
    # A cell of the second head is computed in the second half of the projection.
    calculator.at("Q", 1, 0, "raw_scores").click()
    calculator.expect_look(2, "", "project_Q", 1, 2)


def test_a_classic_mistake_scrolls_into_view_beside_the_right_result(calculator):
    calculator.page.set_viewport_size({"width": 1280, "height": 500})
    calculator.answer(mistake="wrong_axis")
    wrong = mistake("wrong_axis", calculate())
    calculator.shows("wrong_weights", wrong.weights[0].tolist())
    calculator.shows("wrong_context", wrong.context[0].tolist())
    calculator.expect_steps(calculate())
    expect(calculator.card("mistake").locator("h3")).to_be_in_viewport()
    calculator.at("wrong_weights", 0, 1).click()
    # By hand: column 1 contains the score 0.3536 twice, which is its maximum.
    rows = calculator.arithmetic("mistake").locator("div")
    expect(rows.nth(1)).to_have_text("column sum = 1.0000 + 1.0000 = 2.0000")
    expect(rows.nth(2)).to_contain_text("(dogs, bark) = 1.0000 ÷ 2.0000 = 0.5000")


def test_the_arithmetic_of_a_softmax_contains_the_servers_numbers(board):
    """The numbers are inconsistent, so a number computed in the browser would differ."""
    sent = dict(components_of("calculator?mode=own&mistake=wrong_axis")["steps"])
    (data,) = json.loads(sent["json"])
    for matrix, values in {
        "masked_scores": [[1, 2], [3, 4]],
        "maxima": [[9], [8]],
        "exponentials": [[6, 7], [2, 3]],
        "row_sums": [[5], [1]],
        "weights": [[0.1, 0.2], [0.6, 0.7]],
        "source": [[1, 2], [3, 4]],
        "wrong_maxima": [[9, -8]],
        "wrong_exponentials": [[6, 7], [2, 3]],
        "wrong_sums": [[1, 4]],
        "wrong_weights": [[0.3, 0.4], [0.6, 0.7]],
    }.items():
        data["matrices"][matrix]["values"] = values
    calculator = Calculator(board)
    # The first query is not drawn.
    look = {"card": "", "family": "pair", "row": 0, "column": 1}
    sent["json"] = json.dumps([{**data, "offset": 1, "decimals": 2, "look": look}])
    board.page.evaluate("(component) => host.draw(component)", sent)
    for card, spelled in {
        "softmax": ["e^(2.00 − 9.00) = 7.00", "row sum = 6.00 + 7.00 = 5.00", "7.00 ÷ 5.00 = 0.20"],
        "mistake": ["e^(4.00 − (−8.00)) = 3.00", "sum = 7.00 + 3.00 = 4.00", "3.00 ÷ 4.00 = 0.40"],
    }.items():
        rows = calculator.arithmetic(card).locator("div")
        for row, text in enumerate(spelled):
            expect(rows.nth(row)).to_contain_text(text)


def test_a_real_head_shows_its_weights_and_selects_the_strongest(board):
    calculator = Calculator(board, **HEAD, text=DEFAULT)
    names = distinct(truth("minilm").tokens)
    expect(calculator.row_names("weights")).to_have_text(["", *names])
    texts = calculator.cells("weights").all_text_contents()
    shown = np.reshape([float(text) for text in texts], (16, 16))
    np.testing.assert_allclose(shown, truth("minilm").weights[3, 1], rtol=0, atol=0.51e-4)
    expect(calculator.at("weights", IT, ANIMAL)).to_have_class(re.compile("chosen"))
    expect(calculator.table("weights").locator("td.chosen")).to_have_text(["0.6768"])
    expect(calculator.arithmetic("softmax")).to_contain_text("A(it, animal) =")
    rows = calculator.table("weights").locator("tr:visible")
    expect(rows).to_have_count(2)  # the keys' names, and the selected query alone
    expect(calculator.table("K", "given").locator("tr:visible").nth(1)).to_contain_text("animal")
    calculator.step("All steps").click()
    expect(rows).to_have_count(17)
    calculator.expect_look(1, "all", "pair", IT, ANIMAL)
    calculator.at("raw_scores", 0, 0, "raw_scores").click()
    calculator.expect_look(2, "all", "pair", 0, 0)
    board.page.set_viewport_size(PHONE)  # a wide matrix scrolls inside its card
    wider = "(boxes) => Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth))"
    calculator.cells("context").last.scroll_into_view_if_needed()  # laid out when visible
    assert board.page.locator("html").evaluate_all(wider) <= 0
    assert board.part("steps").locator("section").evaluate_all(wider) <= 0
    assert calculator.card("softmax").locator(".scroll").evaluate_all(wider) > 0
