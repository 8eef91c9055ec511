"""The Calculator in the browser: edits, clicks, errors, masks, phones."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from model.calculator import (
    PRESETS,
    Calculation,
    Settings,
    from_projections,
    from_qkv,
    mistake,
    numbers,
)
from model.calculator.scaling import spread
from tests.browser.calculator_page import CalculatorPage, calculate, formatted
from tests.browser.explore_page import DEFAULT, ExplorePage, truth
from tests.browser.visitor import SlowLine
from viz import distinct
from web.components.script import script

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]

MARKUP = "<img src=x onerror=a(1)>"  # 24 characters, the maximum of a name
HUGE = "1e308"
LONG = ("the dog saw the cat and " * 10).strip() + "."  # 63 tokens
IT, ANIMAL = 10, 2  # positions in the default sentence


# -- editing -------------------------------------------------------------------------------------


def test_an_edit_updates_every_step_and_the_link_and_back_undoes_it(calculator, visit, base):
    calculator.open()
    calculator.expect_steps(calculate())
    calculator.shows("weights", [[0.5875, 0.4125], [0.4125, 0.5875]])  # by hand: 1 / (1 + e^-0.354)
    calculator.type("q", 0, 0, "−3,5")  # a typographic minus and a decimal comma
    edited = calculate(q=(("-3.5", "0"), ("0", "1")))
    calculator.expect_steps(edited)
    calculator.address_says(mode="own", q="−3~c5,0;0,1", k=None)
    calculator.page.reload()
    calculator.drawn().expect_steps(edited)
    calculator.holds("q", "−3,5", "0", "0", "1")
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(calculator.page.url)
    classmate.drawn().expect_steps(edited)
    calculator.page.go_back()
    calculator.expect_steps(calculate())
    calculator.holds("q", "1", "0", "0", "1")
    calculator.page.go_forward()
    calculator.expect_steps(edited)


def test_a_stale_response_does_not_overwrite_an_edit(calculator):
    line = SlowLine(calculator.page)
    calculator.open()
    line.hold()
    calculator.type("q", 0, 0, "2")
    line.wait_for(b"q=2%2C0")  # the end of its response
    late, line.held = line.held, []
    calculator.type("q", 0, 1, "3")
    line.wait_for(b"q=2%2C3")
    later, line.held = line.held, late
    line.deliver()
    calculator.shows(
        "raw_scores", calculate(q=(("2", "0"), ("0", "1"))).steps.raw_scores[0].tolist()
    )
    calculator.holds("q", "2", "3", "0", "1")
    calculator.type("v", 0, 0, "7")  # sent together with the content of Q
    line.held = later + line.held
    line.release()
    calculator.expect_steps(calculate(q=(("2", "3"), ("0", "1")), v=(("7", "0"), ("1", "1"))))
    calculator.holds("q", "2", "3", "0", "1")


def test_a_pasted_block_fills_and_grows_a_grid(calculator):
    calculator.open()
    calculator.page.get_by_text("Grids with a common size grow together").click()
    calculator.paste("q", 1, 0, "2\t-1\r\n0,5\t4\r\n")
    grown = calculate(q=(("1", "0"), ("2", "-1"), ("0.5", "4")))
    calculator.expect_steps(grown)
    calculator.holds("q", "1", "0", "2", "-1", "0,5", "4")
    expect(calculator.row_names("weights")).to_have_text(["", "I", "think", "token 2"])
    calculator.address_says(q="1,0;2,-1;0~c5,4")


def test_a_pasted_block_grows_the_grids_that_share_its_size(calculator):
    """Grids with a common size grow together: Q of 3 x 3 matches K immediately."""
    calculator.open()
    calculator.paste("q", 0, 0, "1\t2\t3\r\n4\t5\t6\r\n7\t8\t9")
    k, v = (
        (("1", "0", "0"), ("0.5", "0.5", "0"), ("0", "0", "0")),
        (("2", "0"), ("1", "1"), ("0", "0")),
    )
    calculator.expect_steps(
        calculate(q=(("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9")), k=k, v=v)
    )
    calculator.holds("k", *(x for row in k for x in row))


def test_a_pasted_block_that_does_not_fit_gives_a_message(calculator):
    calculator.open()
    block = "\r\n".join("\t".join(str(10 * i + j) for j in range(10)) for i in range(10))
    calculator.paste("q", 0, 0, block)
    message = calculator.grid("q").get_by_text("You pasted 10 x 10 cells; 8 x 8 of them fit")
    expect(message).to_be_visible()
    expect(calculator.grid("q").locator("td input")).to_have_count(64)
    calculator.type("q", 0, 0, "1")
    expect(message).to_have_count(0)  # the message was about the previous block
    calculator.open(mode="practice")
    calculator.paste("weights", 0, 1, "0.1\t0.2\r\n0.3\t0.4")
    expect(calculator.grid("weights").get_by_text("2 x 2 cells; 2 x 1 of them fit")).to_be_visible()
    calculator.holds("weights", "", "0.1", "", "0.3")


def test_empty_cells_and_longer_lines_of_a_block_keep_their_position(calculator):
    calculator.open()
    calculator.paste("v", 0, 0, "\t5\r\n6\t7\t8\r\n")
    calculator.holds("v", "", "5", "0", "6", "7", "8")


def test_the_focus_survives_a_rebuild(calculator):
    calculator.open()
    following = calculator.page.get_by_role("button", name="Next step")
    following.focus()
    for card in ("raw_scores", "scale", "mask", "softmax", "context"):
        calculator.page.keyboard.press("Enter")
        calculator.address_says(look=f"{card}|")
        calculator.at_rest()
        expect(following).to_be_focused()
    calculator.page.keyboard.press("Enter")  # the last step: no change, and the focus stays
    expect(following).to_be_focused()
    # The toolbar is one tab stop, with arrow keys inside.
    for key in ("Home", "ArrowRight", "ArrowRight"):
        calculator.page.keyboard.press(key)
    expect(calculator.step("1 Compare queries with keys")).to_be_focused()
    stops = calculator.part("steps").locator("nav button[tabindex='0']")
    expect(stops).to_have_count(1)
    more = calculator.page.get_by_role("button", name="K: rows +", exact=True)
    more.focus()
    for rows in (3, 4):
        calculator.page.keyboard.press("Enter")
        expect(calculator.grid("k").locator("td input")).to_have_count(2 * rows)
        expect(more).to_be_focused()
    # A mask cell keeps the focus, although hiding a query's last key removes the later steps.
    calculator.press("All steps")
    calculator.page.get_by_role("radio", name="Causal").click()
    cell = calculator.at("allowed", 0, 0)
    expect(calculator.at("allowed", 0, 1)).to_have_text("✗")
    cell.focus()
    calculator.page.keyboard.press("Enter")
    expect(calculator.card("mask").locator(".problem")).to_contain_text(
        "The mask hides every key from query “I”"
    )
    expect(calculator.at("allowed", 0, 0)).to_be_focused()


# -- clicking ------------------------------------------------------------------------------------


def test_a_click_on_a_score_shows_its_row_of_q_and_column_of_k(calculator):
    calculator.open(decimals="2")
    calculator.at("raw_scores", 0, 1, "raw_scores").click()
    expect(calculator.arithmetic("raw_scores")).to_have_text(
        "S[I, think] = 1.00 × 0.50 + 0.00 × 0.50 = 0.50"
    )
    assert calculator.marked_cells("raw_scores", "lit") == [
        *(("Q", 0, 0), ("Q", 0, 1)),
        *(("K_T", 0, 1), ("K_T", 1, 1)),
    ]
    assert calculator.marked_cells("raw_scores", "chosen") == [("raw_scores", 0, 1)]
    # The next steps select the same cell.
    expect(calculator.arithmetic("scale")).to_have_text("S′[I, think] = 0.50 ÷ 1.41 = 0.35")
    expect(calculator.arithmetic("softmax")).to_contain_text("A[I, think] = 0.70 ÷ 1.70 = 0.41")
    assert calculator.marked_cells("softmax", "chosen") == [("weights", 0, 1)]
    # A click on an operand shows the arithmetic in the step that computes it.
    calculator.at("context", 1, 0).click()
    expect(calculator.arithmetic("context")).to_have_text(
        "Z[think, 0] = 0.41 × 2.00 + 0.59 × 1.00 = 1.41"
    )
    assert calculator.marked_cells("context", "lit") == [
        *(("weights", 1, 0), ("weights", 1, 1)),
        *(("V", 0, 0), ("V", 1, 0)),
    ]
    calculator.address_says(look="|context.1.0")
    calculator.page.reload()
    calculator.drawn()
    expect(calculator.arithmetic("context")).to_contain_text("Z[think, 0] = 0.41")


def test_arrow_keys_move_between_cells_and_enter_selects_one(calculator):
    calculator.open(decimals="2")
    calculator.at("raw_scores", 0, 0, "raw_scores").focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowDown", "ArrowRight"):  # stops at the edge
        calculator.page.keyboard.press(key)
    expect(calculator.at("raw_scores", 1, 1, "raw_scores")).to_be_focused()
    expect(calculator.arithmetic("raw_scores")).to_contain_text("[I, I]")
    calculator.page.keyboard.press("Enter")
    expect(calculator.arithmetic("raw_scores")).to_have_text(
        "S[think, think] = 0.00 × 0.50 + 1.00 × 0.50 = 0.50"
    )
    expect(calculator.at("raw_scores", 1, 1, "raw_scores")).to_be_focused()
    calculator.address_says(look="|pair.1.1")
    # The selection survives a new response:
    expect(calculator.at("raw_scores", 1, 1, "raw_scores")).to_be_focused()


def test_single_steps_can_be_opened_and_linked(calculator, visit, base):
    calculator.open()
    cards = calculator.part("steps").locator("section:visible h3")
    expect(cards).to_have_count(5)
    calculator.step("Scale").click()
    expect(cards).to_have_text(["2 · Scale"])
    calculator.press("Next step")
    calculator.press("Next step")
    expect(cards).to_have_text(["4 · Softmax"])
    calculator.at("weights", 1, 0).click()
    calculator.address_says(look="softmax|pair.1.0")
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(calculator.page.url)
    classmate.drawn()
    expect(classmate.part("steps").locator("section:visible h3")).to_have_text(["4 · Softmax"])
    expect(classmate.arithmetic("softmax")).to_contain_text("A[think, I] =")
    calculator.press("Next step")
    expect(cards).to_have_text(["5 · Mix the values"])
    expect(calculator.page.get_by_role("button", name="Next step")).to_be_disabled()
    calculator.press("All steps")
    expect(cards).to_have_count(5)


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "This cell is empty. Write a number, such as 0."),
        ("abc", "“abc” is not a number. Write one such as 0.5 or −2."),
        ("inf", "“inf” is not a number. Write one such as 0.5 or −2."),
    ],
)
def test_invalid_text_is_an_error_at_its_grid_and_stays_until_corrected(calculator, text, message):
    calculator.open()
    calculator.type("v", 1, 0, "5")
    calculator.type("k", 1, 0, text)
    expect(calculator.grid("k").locator(".problem")).to_have_text(message)
    expect(calculator.problems()).to_have_count(1)
    expect(calculator.cell("k", 1, 0)).to_have_attribute("aria-invalid", "true")
    expect(calculator.page.locator(".grids input[aria-invalid=true]")).to_have_count(1)
    expect(calculator.sheet()).to_have_class(re.compile("waiting"))
    colour = calculator.cells("context").first.evaluate("cell => getComputedStyle(cell).color")
    assert colour == "rgba(0, 0, 0, 0)"  # old numbers are invisible
    calculator.address_says(k=f"1,0;{text},0.5")
    calculator.page.reload()
    expect(calculator.problems()).to_have_text([message])
    calculator.holds("k", "1", "0", text, "0.5")
    calculator.holds("v", "2", "0", "5", "1")
    if text != "inf":
        calculator.expect_no_nan()
    calculator.type("k", 1, 0, "0.25")
    calculator.expect_steps(calculate(k=(("1", "0"), ("0.25", "0.5")), v=(("2", "0"), ("5", "1"))))
    expect(calculator.sheet()).not_to_have_class(re.compile("waiting"))


def test_an_overflow_is_an_error_in_its_step(calculator):
    calculator.open()
    calculator.type("q", 0, 0, HUGE)
    big = calculate(q=((HUGE, "0"), ("0", "1")))
    calculator.shows("weights", big.steps.weights[0].tolist())
    calculator.expect_no_nan()
    calculator.type("k", 0, 0, HUGE)
    problem = calculator.card("raw_scores").locator(".problem")
    expect(problem).to_contain_text("Row 0, column 0 of S is larger than any 64-bit number")
    expect(calculator.problems()).to_have_count(1)
    expect(calculator.sheet()).to_have_class(re.compile("waiting"))
    calculator.expect_no_nan()
    calculator.type("k", 0, 0, "1")
    calculator.shows("weights", big.steps.weights[0].tolist())
    calculator.type("q", 0, 0, "1")
    calculator.expect_steps(calculate())


def test_removed_columns_return_with_their_text(calculator):
    calculator.open()
    calculator.type("q", 1, 1, "7.5")
    edited = calculate(q=(("1", "0"), ("0", "7.5")))
    calculator.expect_steps(edited)
    calculator.resize("q", "columns", "−")
    # K shrinks too.
    calculator.expect_steps(calculate(q=(("1",), ("0",)), k=(("1",), ("0.5",))))
    calculator.resize("q", "columns", "−")
    expect(calculator.problems()).to_contain_text(["Q has no columns"])
    calculator.expect_no_nan()
    calculator.address_says(q="2x0", k="2x0")
    for _ in range(2):
        calculator.resize("q", "columns", "+")
    calculator.expect_steps(edited)
    calculator.resize("k", "rows", "−")
    fewer = calculator.page.get_by_role("button", name="K: rows −", exact=True)
    expect(fewer).to_be_disabled()  # the last row cannot be removed
    calculator.resize("k", "rows", "+")
    calculator.expect_steps(edited)
    calculator.holds("q", "1", "0", "0", "7.5")


def test_sizes_that_do_not_match_are_an_error_at_the_grid(calculator):
    calculator.open()
    calculator.page.get_by_text("Grids with a common size grow together").click()
    calculator.resize("k", "columns", "+")
    expect(calculator.grid("k").locator(".problem")).to_contain_text(
        "Q has 2 columns and K has 3. Queries and keys need the same d_k"
    )
    calculator.resize("k", "columns", "−")
    calculator.expect_steps(calculate())


# -- masks ---------------------------------------------------------------------------------------


def test_a_click_on_the_mask_hides_a_key_and_can_be_undone(calculator):
    calculator.open()
    calculator.at("allowed", 0, 1).click()
    calculator.expect_steps(calculate(Settings(mask="custom", hidden=frozenset({(0, 1)}))))
    # The weights of the first row are exactly 1 and 0.
    calculator.shows("weights", [[1, 0], *calculate().steps.weights[0, 1:].tolist()])
    expect(calculator.at("masked_scores", 0, 1)).to_have_text("−∞")
    expect(calculator.page.get_by_role("radio", name="Custom")).to_be_checked()
    calculator.address_says(mask="custom", hidden="0-1")
    calculator.at("allowed", 0, 0).click()
    expect(calculator.card("mask").locator(".problem")).to_contain_text(
        "The mask hides every key from query “I”, so its softmax would divide 0 by 0."
    )
    expect(calculator.cells("weights")).to_have_count(0)
    expect(calculator.cells("allowed")).to_have_text(["✗", "✗", "✓", "✓"])
    calculator.expect_no_nan()
    calculator.at("allowed", 0, 1).click()
    calculator.expect_steps(calculate(Settings(mask="custom", hidden=frozenset({(0, 0)}))))
    calculator.shows("weights", [[0, 1], *calculate().steps.weights[0, 1:].tolist()])
    calculator.page.get_by_role("radio", name="Causal").click()
    calculator.expect_steps(calculate(Settings(mask="causal")))


def test_clicks_before_the_response_all_count(calculator):
    calculator.open()
    clicked = [calculator.at(*cell) for cell in (("allowed", 0, 1), ("weights", 1, 0))]
    handles = [cell.element_handle() for cell in (*clicked, calculator.at("allowed", 1, 0))]
    calculator.page.evaluate("(cells) => cells.forEach((cell) => cell.click())", handles)
    hidden = frozenset({(0, 1), (1, 0)})
    calculator.expect_steps(calculate(Settings(mask="custom", hidden=hidden)))
    calculator.address_says(mask="custom", hidden="0-1.1-0")
    assert calculator.address()["look"] == "|pair.1.0"


# -- names ---------------------------------------------------------------------------------------


def test_markup_in_a_name_is_shown_as_text(calculator):
    calculator.open()
    calculator.name(0).fill(MARKUP)
    calculator.name(0).press("Tab")
    expect(calculator.row_names("weights")).to_have_text(["", MARKUP, "think"])
    expect(calculator.arithmetic("raw_scores")).to_contain_text(f"S[{MARKUP}, {MARKUP}]")
    calculator.address_says(tokens=f"{MARKUP}|think")
    calculator.page.reload()
    calculator.drawn()
    expect(calculator.row_names("context")).to_have_text(["", MARKUP, "think"])
    assert calculator.page.locator("img[src='x']").count() == 0  # and `visit` saw no error


# -- examples and mistakes -----------------------------------------------------------------------


def test_the_worked_example_has_the_weights_of_the_lesson(calculator):
    calculator.open()
    calculator.choose("Take an example", "Worked example")
    expect(calculator.cells("weights")).to_have_text(["0.1763", "0.2101", "0.3336", "0.2800"])
    expect(calculator.cells("context")).to_have_text(["0.1763", "0.2101", "0.3336", "0.2800"])
    expect(calculator.row_names("weights")).to_have_text(["", "love"])
    expect(calculator.page.get_by_text("The temperature 8 replaces the division")).to_be_visible()
    calculator.address_says(q="1", temperature="8", sources="I|love|learning|AI", story="worked")
    # The story belongs to these numbers and is struck through for others.
    calculator.type("k", 0, 0, "5")
    expect(calculator.page.get_by_text("Numbers changed.")).to_be_visible()
    calculator.at_rest()  # the URL contains the edit
    calculator.page.reload()
    expect(calculator.page.get_by_text("Numbers changed.")).to_be_visible()
    calculator.page.go_back()
    expect(calculator.page.get_by_text("Worked example: I love learning AI.")).to_be_visible()
    expect(calculator.page.get_by_text("Numbers changed.")).to_have_count(0)


def two_heads() -> Calculation:
    cells = PRESETS["heads"].cells
    found = {name: numbers(name, cells[name]) for name in ("X", "W_Q", "W_K", "W_V", "W_O")}
    return from_projections(*found.values(), n_heads=2)


def test_two_heads_are_projected_joined_and_mixed_by_w_o(calculator):
    calculator.open()
    calculator.choose("Take an example", "Two heads")
    both = two_heads()
    calculator.expect_steps(both)
    calculator.shows("Q_heads", both.q.transpose(0, 1).flatten(1).tolist())
    calculator.shows("concatenated", both.concatenated.tolist())
    calculator.shows("output", both.output.tolist())
    calculator.at("output", 2, 1).click()
    products = zip(both.concatenated[2].tolist(), both.w_o[:, 1].tolist(), strict=True)
    terms = " + ".join(f"{formatted(a)} × {formatted(b)}" for a, b in products)
    arithmetic = f"Y[mice, 1] = {terms} = {formatted(both.output[2, 1])}"
    expect(calculator.arithmetic("project_out")).to_have_text(arithmetic)
    calculator.part("followed").get_by_role("radio", name="1").click()
    calculator.expect_steps(both, head=1)
    calculator.shows("output", both.output.tolist())
    calculator.address_says(form="x", followed="1")
    calculator.page.reload()
    calculator.drawn().expect_steps(both, head=1)


def test_a_classic_mistake_is_shown_with_the_right_result(calculator):
    calculator.open()
    calculator.choose("A classic mistake", "Softmax over the wrong axis")
    wrong = mistake("wrong_axis", calculate())
    calculator.shows("wrong_weights", wrong.weights[0].tolist())
    calculator.shows("wrong_context", wrong.context[0].tolist())
    calculator.expect_steps(calculate())
    sums = wrong.weights.sum(-1)
    expect(calculator.card("mistake").locator("h3, h2, .title").first).to_be_in_viewport()
    expect(calculator.card("mistake").locator(".notes")).to_contain_text(
        f"The row sums are between {sums.min():.4f} and {sums.max():.4f}. Every row should "
        "sum to 1."
    )
    calculator.at("wrong_weights", 0, 1).click()
    expect(calculator.arithmetic("mistake")).to_contain_text("column sum")
    assert ("source", 1, 1) in calculator.marked_cells("mistake", "lit")
    assert ("source", 0, 0) not in calculator.marked_cells("mistake", "lit")
    calculator.address_says(mistake="wrong_axis")
    # By hand: column 1 contains the score 0.3536 twice, which is its maximum.
    expect(calculator.arithmetic("mistake").locator("div").nth(1)).to_have_text(
        "column sum = 1.0000 + 1.0000 = 2.0000"
    )
    expect(calculator.arithmetic("mistake")).to_contain_text(
        "[I, think] = 1.0000 ÷ 2.0000 = 0.5000"
    )


STEPS = ROOT / "web" / "components" / "steps"


@pytest.mark.parametrize(
    ("kind", "spelled"),
    [
        ("softmax", ["e^(2.00 − 9.00) = 7.00", "row sum = 6.00 + 7.00 = 5.00", "= 7.00 ÷ 5.00"]),
        (
            "softmax_columns",
            ["e^(4.00 − (−8.00)) = 3.00", "column sum = 7.00 + 3.00 = 4.00", "= 3.00 ÷ 4.00"],
        ),
    ],
)
def test_the_arithmetic_of_a_softmax_contains_the_servers_numbers(calculator, kind, spelled):
    """The payload's numbers are inconsistent, so a number computed in the browser would differ."""
    rows = kind == "softmax"
    sent = {
        "scores": [[1, 2], [3, 4]],
        "maxima": [[9], [8]] if rows else [[9, -8]],
        "exponentials": [[6, 7], [2, 3]],
        "sums": [[5], [1]] if rows else [[1, 4]],
        "weights": [[0.1, 0.2]] if rows else [[0.3, 0.4]],
    }
    matrices = {
        name: {"values": values, "rows": ["a", "b"], "columns": ["c", "d"], "symbol": "<mi/>"}
        for name, values in sent.items()
    }
    line = {
        "kind": kind,
        "items": ["scores", "→", "weights"],
        "parts": ["maxima", "exponentials", "sums"],
    }
    strings = {"rowSum": "row sum", "columnSum": "column sum"}
    data = {"matrices": matrices, "strings": strings, "decimals": 2, "offset": 0 if rows else 1}
    code = script(STEPS / "spell.js")
    texts = calculator.page.evaluate(
        f"([data, line]) => {{ {code}\n"
        "return spell(data, line, 0, 1).map((row) => row.textContent); }",
        [data, line],
    )
    for text, expected in zip(texts, spelled, strict=True):
        assert expected in text
    assert texts[-1].endswith("= 0.20" if rows else "= 0.40")


# -- a real head ---------------------------------------------------------------------------------


def head_numbers(page: CalculatorPage, matrix: str, shape: tuple[int, int]) -> np.ndarray:
    shown = page.cells(matrix).all_text_contents()
    return np.array([float(x.replace("−", "-")) for x in shown]).reshape(shape)


def test_a_link_to_a_head_shows_its_weights_and_selects_the_strongest_link(calculator):
    calculator.open(text=DEFAULT, left="minilm", layer="3", head="1")
    capture = truth("minilm")
    names = distinct(capture.tokens)
    expect(calculator.row_names("weights")).to_have_text(["", *names])
    shown = head_numbers(calculator, "weights", (16, 16))
    np.testing.assert_allclose(shown, capture.weights[3, 1], rtol=0, atol=0.5e-4 + 1e-6)
    expect(calculator.table("weights").locator("td.chosen")).to_have_text(["0.6768"])
    expect(calculator.at("weights", IT, ANIMAL)).to_have_class(re.compile("chosen"))
    expect(calculator.arithmetic("softmax")).to_contain_text("A[it, animal] =")
    expect(calculator.page.get_by_text("No weight differs from the model")).to_be_visible()
    calculator.address_says(mode="head", left="minilm", layer="3", head="1")
    # Choose another head with the same selectboxes as on Explore.
    calculator.choose("Head", "H8")
    expect(calculator.at("weights", 0, 0)).to_have_text(formatted(capture.weights[3, 8, 0, 0]))
    shown = head_numbers(calculator, "weights", (16, 16))
    np.testing.assert_allclose(shown, capture.weights[3, 8], rtol=0, atol=0.5e-4 + 1e-6)
    calculator.address_says(layer="3", head="8")


def test_changed_settings_of_a_head_are_noted_and_applied(calculator):
    calculator.open(text=DEFAULT, left="minilm", layer="3", head="1", mask="causal", scaled="0")
    captured = truth("minilm").head(3, 1)
    q, k, v = (numbers_of(x) for x in (captured.q, captured.k, captured.v))
    changed = from_qkv(q, k, v, Settings(scaled=False, mask="causal"))
    expect(calculator.page.get_by_text("Your settings differ from the model")).to_be_visible()
    shown = head_numbers(calculator, "weights", (16, 16))
    np.testing.assert_allclose(shown, changed.steps.weights[0], rtol=0, atol=0.5e-4 + 1e-6)
    expect(calculator.at("weights", 0, 1)).to_have_text("0.0000")


def numbers_of(array: np.ndarray):
    import torch

    return torch.tensor(array).double()


def test_a_long_sentence_has_a_window_and_all_tokens_take_part(calculator):
    calculator.open(text=LONG, left="minilm", layer="2", head="3")
    capture = truth("minilm", LONG)
    names = distinct(capture.tokens)
    weights = capture.weights[2, 3]
    assert len(names) == 63
    label = re.compile("First token on screen .16 of 63; all are computed.")
    slider = calculator.page.get_by_role("slider", name=label)
    for first in (0, 1, 47):
        if first:
            slider.press({1: "ArrowRight", 47: "End"}[first])
            calculator.address_says(first=str(first))
        last = first + 16
        expect(calculator.row_names("weights")).to_have_text(["", *names[first:last], "… 47"])
        shown = head_numbers(calculator, "weights", (16, 16))
        expected = weights[first:last, first:last]
        np.testing.assert_allclose(shown, expected, rtol=0, atol=0.5e-4 + 1e-6)
        assert expected.sum(axis=1).max() < 0.99  # keys that are not drawn have weights too
    calculator.page.reload()
    calculator.drawn()
    expect(calculator.row_names("weights").nth(1)).to_have_text(names[47])


def test_explore_links_to_the_same_head_and_the_menu_leads_back(explore):
    explore.open(left="scratch-minilm", right="minilm", layer="4", head="9")
    explore.page.get_by_role("link", name="Step by step").nth(1).click()
    calculator = explore.on(CalculatorPage).drawn()
    weights = truth("minilm").weights[4, 9]
    expect(calculator.at("weights", 0, 0)).to_have_text(formatted(weights[0, 0]))
    shown = head_numbers(calculator, "weights", (16, 16))
    np.testing.assert_allclose(shown, weights, rtol=0, atol=0.5e-4 + 1e-6)
    calculator.address_says(mode="head", left="minilm", layer="4", head="9", text=DEFAULT)
    calculator.page.get_by_role("link", name="Explore").click()
    explore.on(ExplorePage).drawn().shows(4, 9)
    explore.address_says(left="scratch-minilm", right="minilm", layer="4", head="9")
    expect(explore.title("left")).to_have_text(["scratch-minilm · L4·H9"])
    explore.page.get_by_role("link", name="Calculator").click()
    expect(calculator.at("weights", 0, 0)).to_have_text(formatted(weights[0, 0]))


# -- why divide ----------------------------------------------------------------------------------


def test_the_slider_of_d_k_updates_the_measurements(calculator):
    calculator.open(mode="spread")
    measured = spread(0, 16)

    def expect_readout(at: int) -> None:
        sentence = calculator.page.get_by_role("listitem").filter(has_text="standard deviation")
        expect(sentence).to_contain_text(f"{measured.std_raw[at]:.2f}")
        expect(sentence).to_contain_text(f"divided {measured.std_scaled[at]:.2f}")

    expect_readout(5)  # 64
    slider = calculator.page.get_by_role("slider", name="d_k")
    slider.press("ArrowRight")
    expect_readout(6)
    calculator.address_says(mode="spread", d_k="128")
    slider.press("End")
    expect_readout(9)
    calculator.address_says(mode="spread", d_k="1024")
    calculator.page.reload()
    calculator.drawn()
    expect_readout(9)


# -- phones --------------------------------------------------------------------------------------


def test_a_phone_does_not_scroll_sideways(visit, base):
    calculator = visit(base, CalculatorPage, viewport={"width": 390, "height": 844}).open()
    calculator.expect_steps(calculate())
    assert calculator.sideways() <= 0
    calculator.choose("Take an example", "Two heads")
    expect(calculator.cells("output")).to_have_count(12)
    assert calculator.sideways() <= 0
    calculator.open(text=DEFAULT, left="minilm", layer="3", head="1")
    expect(calculator.cells("weights")).to_have_count(256)
    assert calculator.sideways() <= 0
    calculator.cells("context").last.scroll_into_view_if_needed()  # laid out when visible
    assert calculator.sideways() <= 0
    # Content wider than a card scrolls inside it.
    cards = calculator.part("steps").locator("section")
    assert (
        cards.evaluate_all("all => Math.max(...all.map((c) => c.scrollWidth - c.clientWidth))") <= 0
    )


def test_on_a_phone_the_matrices_are_on_the_first_screen(visit, base):
    calculator = visit(base, CalculatorPage, viewport={"width": 390, "height": 844}).open()
    boxes = [grid.bounding_box() for grid in calculator.part("grids").locator(".grid").all()]
    assert len(boxes) == 3 and boxes[1]["y"] + boxes[1]["height"] < 844
    result = calculator.part("steps").locator("section").first.bounding_box()
    assert result["y"] + result["height"] < 1.7 * 844
    for button in calculator.part("grids").locator(".sizes button").all():
        assert min(button.bounding_box()[side] for side in ("width", "height")) >= 32


def test_a_phone_does_not_zoom_into_inputs(visit, base):
    calculator = visit(base, CalculatorPage, viewport={"width": 390, "height": 844}).open()
    inputs = calculator.page.locator(".grids input:not([type=checkbox])")
    sizes = inputs.evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert len(sizes) == 18  # names and cells
    assert min(sizes) >= 16


def test_the_first_cell_of_a_real_head_can_be_selected(calculator):
    calculator.open(text="hello there", left="minilm", layer="3", head="1")
    calculator.at("raw_scores", 0, 0, "raw_scores").click()
    calculator.address_says(look="|pair.0.0")
    calculator.at_rest()
    assert calculator.marked_cells("raw_scores", "chosen") == [("raw_scores", 0, 0)]


def test_the_labels_of_one_row_are_on_one_line(calculator):
    """No label is broken, and no part of it is cut."""
    calculator.go(mode="head")
    labels = calculator.page.get_by_test_id("stWidgetLabel")
    places = {}
    for row in (("Temperature", "Mask", "A classic mistake", "Decimals"), ("Layer", "Head")):
        for name in row:
            label = labels.filter(has_text=re.compile(f"^{name}"))
            expect(label).to_be_visible()
            assert label.inner_text() == name
            places[name] = label.bounding_box()
            assert places[name]["height"] < 30  # one line
        assert len({places[name]["y"] for name in row}) == 1
