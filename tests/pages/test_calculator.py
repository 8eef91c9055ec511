"""The Calculator page in AppTest: typed numbers, examples, views of lessons, and practice."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.calculator import PRESETS
from model.calculator.practice.numeric import numeric_exercises
from pages.calculator import practice_answers
from pages.calculator.head_calculation import HeadCalculation
from pages.calculator.practice_answers import Key
from pages.calculator.url import Calculator
from tests.pages import visit
from tests.pages.figures import figures, payloads, words_on
from web.cache import captures
from web.subject import Subject

STEPS = ("scaled_scores", "weights", "context")
NOT_A_NUMBER = re.compile(r"\bnan\b", re.IGNORECASE)

open_page = partial(visit.open_page, "calculator")


def steps(page: AppTest) -> dict | None:
    return payloads(page).get("steps")


def matrix(page: AppTest, name: str) -> torch.Tensor:
    return torch.tensor(steps(page)["matrices"][name]["values"], dtype=torch.float64)


def problems(page: AppTest) -> dict[str, str]:
    grids = payloads(page)["grids"]["grids"]
    return {grid["id"]: grid["problem"]["text"] for grid in grids if grid["problem"]}


def everything_sent(page: AppTest) -> str:
    def walk(block) -> Iterator[str]:
        for child in block.children.values():
            if hasattr(child, "children"):
                yield from walk(child)
            else:
                yield str(child.proto)
                yield getattr(child.proto, "json", "") or ""

    return "\n".join(walk(page.main))


def expect_no_error(page: AppTest) -> None:
    assert not page.exception
    assert not page.error
    assert not NOT_A_NUMBER.search(json.dumps(steps(page)))


def expect_weights(page: AppTest, expected: np.ndarray, atol: float = 1e-6) -> None:
    expect_no_error(page)
    np.testing.assert_allclose(matrix(page, "weights"), expected, rtol=0, atol=atol)


def test_a_first_visit_calculates_the_first_exercise() -> None:
    page = open_page()
    expect_no_error(page)
    expected = [[0.5875, 0.4125], [0.4125, 0.5875]]
    np.testing.assert_allclose(matrix(page, "weights"), expected, rtol=0, atol=0.5e-4)
    assert page.address == {"mode": "own"}
    assert "“dogs” gives “dogs” 0.5875 of its attention" in words_on(page)


def test_a_lessons_view_is_no_part_and_leads_back_to_the_calculator() -> None:
    page = open_page(mode="spread")
    assert page.address == {"mode": "spread"} and len(figures(page)) == 3
    assert "largest of 16 weights is 0.85 on average" in words_on(page)
    assert not page.button_group
    page.button[0].click().run()
    assert page.address == {"mode": "own"}
    assert page.button_group(key="mode").options == ["Your numbers", "A real head", "Practice"]
    page = open_page(mode="norms").go("explore").go("calculator")  # the menu opens a part
    assert page.address == {"mode": "own"}


@pytest.mark.parametrize("name", PRESETS)
def test_each_example_is_calculated_and_restored_from_its_link(name: str) -> None:
    page = open_page()
    page.selectbox(key="preset").set_value(name).run()
    expect_no_error(page)
    np.testing.assert_allclose(matrix(page, "weights").sum(-1), 1)
    again = open_page(**page.address)
    assert again.address == page.address
    assert steps(again)["matrices"] == steps(page)["matrices"]


def test_an_example_is_in_the_link_and_its_story_stays_until_a_number_changes() -> None:
    page = open_page()
    page.selectbox(key="preset").set_value("exercise").run()
    assert "Each query has a single 1" in words_on(page)
    assert page.address["story"] == page.selectbox(key="preset").value == "exercise"
    page.session_state["q"] = [["3", "0"], ["0", "1"]]
    assert "Each query has a single 1" not in words_on(page.run())
    page.selectbox(key="preset").set_value("exercise").run()
    assert page.session_state["q"] == [["1", "0"], ["0", "1"]]
    assert "Each query has a single 1" in words_on(page)


UNKNOWN = """
mode=x story=nosuch form=qkvx q=1;2,3 q=1,1,1,1,1,1,1,1,1 q=1;1;1;1;1;1;1;1;1 heads=0 followed=-1
scaled=yes temperature=nan temperature=-1 temperature=1e7 mask=upper padding=-2 hidden=1-2-3
hidden=1--2 mistake=all look=|pair.0 decimals=9 layer=-1 head=99999999 first=x level=7 seed=10000
exercise=5 ask=everything reveal=maybe d_k=3 d_k=2048 keys=1 spread_seed=1e3
"""


def test_unknown_values_in_a_link_give_notices_and_the_defaults() -> None:
    pairs = [pair.split("=", 1) for pair in UNKNOWN.split()]
    for name, value in pairs:
        with pytest.raises((ValueError, KeyError)):
            Calculator.fields[name].parse(value)
    assert Calculator.ask.parse("scores") == "scaled_scores"  # a name in old links
    page = open_page(**dict(pairs))
    for name in ("q", "temperature", "hidden", "decimals"):
        assert f"The link's {name} = " in words_on(page)
        assert page.session_state[name] == Calculator.fields[name].default


def test_values_beyond_the_sentence_are_clamped() -> None:
    page = open_page(mode="head", layer="99", first="5000", look="softmax|pair.200.300")
    expect_no_error(page)
    assert (page.selectbox(key="layer").value, page.session_state["first"]) == (5, 0)
    expect_no_error(open_page(form="x", heads="2", followed="7"))
    expect_no_error(open_page(look="context|context.9.9", hidden="5-5.0-9", mask="custom"))
    expect_no_error(open_page(look="nosuch|nosuch.1.1", padding="0", mask="padding"))


def test_a_link_with_a_head_but_no_mode_opens_that_head() -> None:
    page = open_page(text="hello there", left="minilm", layer="1", head="8")
    expect_no_error(page)
    expected = captures.capture("minilm", "hello there", None).weights[1, 8]
    np.testing.assert_allclose(matrix(page, "weights"), expected, rtol=0, atol=1e-6)
    assert page.address["mode"] == "head"


def test_typed_text_round_trips_through_the_url() -> None:
    cells, names = [["", "1,5;", "~c"], ["|", "-2.", "c s~"]], ["a|b", "~p", ",", " a~~|"]
    q, tokens = Calculator.q, Calculator.tokens
    assert q.parse(q.write(cells)) == cells
    assert tokens.parse(tokens.write(names)) == names


def test_a_temperature_of_zero_is_an_error_that_can_be_corrected() -> None:
    page = open_page(temperature="0")
    sent = steps(page)
    assert "not 0" in sent["problem"]["text"]
    assert sent["matrices"]["raw_scores"]["values"] == [[1, 0.5], [0, 0.5]]
    page.number_input(key="temperature").set_value(2.0).run()
    expect_no_error(page)
    assert steps(page)["problem"] is None


def test_errors_of_numbers_are_shown_at_their_grid() -> None:
    for grid, cells, message in (
        ("q", ",0;0,1", "This cell is empty"),
        ("k", "1,0;~c5~s,1", "“,5;” is not a number, or too large. Write one such as 0.5 or −2."),
        ("v", "1", "K has 2 rows and V has 1"),
    ):
        page = open_page(**{grid: cells})
        assert list(problems(page)) == [grid] and message in problems(page)[grid]
        assert steps(page)["waiting"]
        assert steps(page)["problem"] is None  # the error appears once
        assert page.address == {"mode": "own", grid: cells}


def test_heads_and_masks_that_do_not_fit_are_errors_in_their_place() -> None:
    found = problems(open_page(form="x", heads="3"))
    assert list(found) == ["wq"] and "do not split into 3 equal heads" in found["wq"]
    sent = steps(open_page(mask="padding", padding="2"))
    assert sent["problem"]["card"] == "mask"
    assert [card["id"] for card in sent["cards"]] == ["raw_scores", "scale", "mask"]


@pytest.mark.parametrize("step", STEPS)
def test_no_answer_is_sent_before_it_is_revealed(step: str) -> None:
    page = open_page(mode="practice", level="3", seed="4", exercise="3", ask=step)
    exercise = numeric_exercises(4, 3)[3]
    answers = {x for name in STEPS for x in exercise.true(name).flatten().tolist()}
    # To three digits, without short numbers like 0, 0.5 or 1.25, which may be given.
    distinctive = {f"{abs(x):.6f}"[:5] for x in answers if abs(x * 4 - round(x * 4)) > 1e-6}

    def revealed() -> set[str]:
        sent = everything_sent(page)
        return {number for number in distinctive if number in sent}

    assert len(distinctive) > 5 and not revealed()
    wrong = [["9" for _ in row] for row in exercise.true(step).tolist()]
    page.session_state["answers"][Key(4, 3, 3, step)] = wrong
    page.button(key="check").click().run()
    assert "0 of" in page.warning[0].value and not revealed()
    page.button(key="show_answer").click().run()
    assert revealed() == distinctive
    page = open_page(mode="practice", reveal="0")
    assert "show_answer" not in [button.key for button in page.button]
    page.session_state["revealed"] = {Key(1, 1, 0, "weights")}
    assert steps(page.run()) is None


def test_a_drawn_mask_is_checked_by_cell_and_revealed_on_demand() -> None:
    page = open_page(mode="practice", level="2", seed="1", ask="mask")
    [grid] = payloads(page)["answer_grids"]["grids"]
    assert grid["cells"] == [[""] * 6] * 6 and grid["toggles"]
    causal = [["1" if j <= i else "0" for j in range(6)] for i in range(6)]
    page.session_state["answers"][Key(1, 2, 0, "mask")] = causal
    page.button(key="check").click().run()
    assert "33 of 36 cells" in page.warning[0].value  # the window of 3 hides three of them
    [grid] = payloads(page)["answer_grids"]["grids"]
    assert grid["marks"][4] == ["wrong", *["right"] * 5]
    page.button(key="show_answer").click().run()
    right = payloads(page)["answer_grids"]["grids"][1]["cells"]
    assert right == [["1" if 0 <= i - j <= 3 else "0" for j in range(6)] for i in range(6)]


FIRST, RIGHT = Key(1, 1, 0, "weights"), [["0.5875", "0.4125"], ["0.4125", "0.5875"]]


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict]:
    state: dict = {"ask": "weights", "decimals": 4}
    monkeypatch.setattr("streamlit.session_state", state)
    practice_answers.initialise()

    def send(**fields: object) -> dict:
        edited = {"number": 7, "fields": fields}
        state[practice_answers.GRIDS] = SimpleNamespace(edited=edited)
        return state

    return send


def test_an_edit_that_arrives_with_the_check_button_counts(edit) -> None:
    edit(cells={"weights": RIGHT})
    practice_answers.hand_in(FIRST)  # the button's callback runs before the grid's
    assert practice_answers.checked(FIRST, FIRST.exercises()[0]).complete


def test_answers_that_are_recalled_after_the_check_button_are_checked(edit) -> None:
    edit()
    practice_answers.hand_in(FIRST)
    assert practice_answers.checked(FIRST, FIRST.exercises()[0]).right == 0
    message = {"cells": {"weights": RIGHT}, "stored": {"set": "1.1.weights", "items": {}}}
    edit(**message, recalled=True)
    practice_answers.store_edits(FIRST)
    assert practice_answers.checked(FIRST, FIRST.exercises()[0]).complete
    edit(**message | {"cells": {"weights": [["1", "1"], ["1", "1"]]}}, recalled=True)  # typed since
    practice_answers.store_edits(FIRST)
    assert practice_answers.checked(FIRST, FIRST.exercises()[0]).complete


@pytest.mark.parametrize(
    ("name", "items", "known"),
    [
        ("1.1.weights", {"0": {"weights": RIGHT}}, {FIRST: RIGHT}),
        ("1.1.weights", {"0": {"weights": [["1"]]}, "1": {"weights": RIGHT}}, {}),  # other sizes
        ("2.1.weights", {"0": {"weights": RIGHT}}, {}),
    ],
)
def test_stored_answers_of_this_set_are_recalled_until_they_are_cleared(
    edit, name: str, items: dict, known: dict
) -> None:
    assert practice_answers.stored(FIRST) == ("1.1.weights", "0", True)
    state = edit(stored={"set": name, "items": items})
    practice_answers.store_edits(FIRST)
    assert practice_answers.stored(FIRST) == ("1.1.weights", "0", name != "1.1.weights")
    assert state["answers"] == known
    edit(cleared="1.1.weights")
    practice_answers.store_edits(FIRST)
    assert state["answers"] == {}


def test_the_arithmetic_of_both_norms_is_shown_and_sentences_without_one_are_errors() -> None:
    by_token, by_feature = (latex.value for latex in open_page(mode="norms").latex)
    assert r"\frac{2 - 1.0000}{\sqrt{2.5000 + 0.00001}} = \mathbf{0.6325}" in by_token
    assert r"\mathbf{-0.0760}" in by_feature
    page = open_page(mode="norms", sentence_a="1,2;3,4", sentence_b="5,6")
    assert "sentences of a batch need the same size" in words_on(page)
    page = open_page(mode="norms", sentence_a="1,2", sentence_b="5,6")  # the last cell's arithmetic
    assert r"\frac{2 - 1.5000}" in page.latex[0].value


def test_pages_and_sessions_have_separate_state() -> None:
    explored = {"text": "hello there", "left": "scratch-minilm", "right": "scratch"}
    page, other = visit.open_page("", **explored), open_page()
    page.go("calculator", q="5,0;0,1", tokens="a|b")
    assert matrix(page, "Q").tolist() == [[5, 0], [0, 1]]
    assert matrix(other.run(), "Q").tolist() == [[1, 0], [0, 1]]
    assert page.go("explore").go("calculator").address["q"] == "5,0;0,1"
    page.go("explore")
    assert explored.items() <= page.address.items() and not page.warning


def test_an_unknown_token_shows_the_typed_text() -> None:
    names = HeadCalculation(Subject("right", "minilm", "the 🦩 slept"), 3, 1, 0).names()
    assert names.keys == names.queries == ("[CLS]", "the", "[UNK] 🦩", "slept", "[SEP]")
