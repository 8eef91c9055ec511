"""The Calculator page in AppTest."""

import json
import re
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from model.calculator import MISTAKES, PRESETS
from model.calculator.practice.exercise import LEVELS
from model.calculator.practice.numeric import numeric_exercises
from pages.calculator.head_calculation import HeadCalculation
from pages.calculator.practice_answers import Key
from pages.calculator.request import StackRequest
from pages.calculator.selection import Selection
from pages.calculator.url import MODES, PARAMETERS
from tests.pages.conftest import ROUTER
from tests.pages.figures import figures
from viz.style.formula import mathml
from web.cache import captures

STEPS = ("scaled_scores", "weights", "context")
NOT_A_NUMBER = re.compile(r"\bnan\b", re.IGNORECASE)


def open_page(**address: str) -> AppTest:
    """A visit of the Calculator with these URL parameters."""
    page = AppTest.from_file(str(ROUTER), default_timeout=60).run()
    return switch_page(page, "calculator/page.py", **address)


def switch_page(page: AppTest, name: str, **address: str) -> AppTest:
    """Go to another page as by the menu, which clears the URL."""
    page.query_params.clear()
    page.switch_page(name)
    for parameter, value in address.items():
        page.query_params[parameter] = value
    return page.run()


def payload(page: AppTest, key: str) -> dict | None:
    """The payload of a component."""
    found = [node for node in page.get("bidi_component") if node.key == key]
    return json.loads(found[0].proto.json)[0] if found else None


def steps(page: AppTest) -> dict:
    return payload(page, "steps")


def matrix(page: AppTest, name: str) -> torch.Tensor:
    return torch.tensor(steps(page)["matrices"][name]["values"], dtype=torch.float64)


def address(page: AppTest) -> dict[str, str]:
    return {
        name: values if isinstance(values, str) else values[0]
        for name, values in page.query_params.items()
    }


def everything_sent(page: AppTest) -> str:
    """The messages of all elements, including components."""

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


# -- every mode and every example ----------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_runs_by_default_and_is_in_the_url(mode: str) -> None:
    page = open_page(mode=mode)
    assert not page.exception
    assert not page.error
    assert not page.warning
    assert address(page)["mode"] == mode


def test_a_first_visit_calculates_the_first_exercise() -> None:
    page = open_page()
    expect_no_error(page)
    torch.testing.assert_close(
        matrix(page, "weights"),
        torch.tensor([[0.5875, 0.4125], [0.4125, 0.5875]], dtype=torch.float64),
        rtol=0,
        atol=0.5e-4,
    )
    assert address(page) == {"mode": "own"}
    purpose = " ".join(caption.value for caption in page.caption)
    assert "Each token has a query (its row in Q), a key (in K) and a value (in V)." in purpose
    page.button_group(key="mode").set_value("spread").run()
    assert not page.exception
    assert len(figures(page)) == 4
    assert address(page) == {"mode": "spread"}


def test_the_divisor_has_the_chosen_decimals() -> None:
    page = open_page(decimals="2")
    (scale,) = [card for card in steps(page)["cards"] if card["id"] == "scale"]
    assert "÷ 1.41 =" in scale["lines"][0]["items"]


@pytest.mark.parametrize("name", PRESETS)
def test_each_example_is_calculated_and_restored_from_its_link(name: str) -> None:
    page = open_page()
    page.selectbox(key="preset").set_value(name).run()
    expect_no_error(page)
    weights = matrix(page, "weights")
    torch.testing.assert_close(weights.sum(-1), torch.ones(len(weights), dtype=torch.float64))
    again = open_page(**address(page))
    expect_no_error(again)
    assert not again.warning
    assert steps(again)["matrices"] == steps(page)["matrices"]
    assert address(again) == address(page)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("wrong", MISTAKES)
def test_each_mistake_is_shown_on_each_example(name: str, wrong: str) -> None:
    page = open_page()
    page.selectbox(key="preset").set_value(name).run()
    page.selectbox(key="mistake").set_value(wrong).run()
    assert not page.exception
    assert not page.error
    sent = steps(page)
    assert sent["cards"][-1]["id"] == "mistake"
    assert sent["problem"] is None
    assert all(sent["cards"][-1]["notes"])
    if wrong != "inverted_mask":  # an inverted row without keys is nan
        expect_no_error(page)


SYMBOLS = {
    "inverted_mask": r"S''_{\text{✗}}",
    "wrong_axis": "S''",
    "unscaled": r"S''_{\text{✗}}",
    "mask_after_softmax": r"\text{softmax}(S')",
    "after_dropout": "A",
}


@pytest.mark.parametrize("wrong", MISTAKES)
def test_the_source_of_a_mistake_has_its_own_symbol(wrong: str) -> None:
    source = steps(open_page(mistake=wrong))["matrices"]["source"]
    assert source["symbol"] == mathml(SYMBOLS[wrong])
    scores = wrong not in ("mask_after_softmax", "after_dropout")
    sums = [sum(x for x in row if isinstance(x, float)) for row in source["values"]]
    assert scores or sums == pytest.approx([1, 1])  # rows of weights


# -- an example's story ----------------------------------------------------------------------------


def story(page: AppTest) -> str:
    (caption,) = [text.value for text in page.caption if "The scores are 1" in text.value]
    return caption


def test_an_example_is_in_the_link_and_its_story_notes_changed_numbers() -> None:
    page = open_page()
    assert not [text for text in page.caption if "The scores are 1" in text.value]
    page.selectbox(key="preset").set_value("exercise").run()
    caption = story(page)
    assert "Exercise 1: two tokens" in caption
    assert address(page)["story"] == "exercise"
    assert page.selectbox(key="preset").value == "exercise"
    assert story(open_page(**address(page))) == caption
    page.session_state["q"] = [["3", "0"], ["0", "1"]]
    page.run()
    assert "Numbers changed" in story(page)
    assert address(page)["story"] == "exercise"  # the link still names the example
    assert story(open_page(**address(page))) == story(page)
    page.session_state["q"] = [["1", "0"], ["0", "1"]]
    page.run()
    assert story(page) == caption
    page.number_input(key="temperature").set_value(2.0).run()
    assert "Settings changed" in story(page)
    page.session_state["form"] = "x"
    page.run()
    assert "Numbers changed" in story(page)


def test_unnamed_separate_keys_are_called_keys() -> None:
    page = open_page()
    page.toggle(key="cross").set_value(True).run()
    page.session_state["k"] = [["1", "0"], ["0", "1"], ["1", "1"]]
    page.session_state["v"] = [["1", "0"], ["0", "1"], ["1", "1"]]
    page.run()
    weights = steps(page)["matrices"]["weights"]
    assert weights["columns"] == ["key 0", "key 1", "key 2"]
    assert weights["rows"] == ["I", "think"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("step", STEPS)
def test_true_answers_of_each_exercise_and_level_are_right(level: int, step: str) -> None:
    page = open_page(mode="practice", level=str(level), ask=step, seed="3", decimals="6")
    for number, exercise in enumerate(numeric_exercises(3, level)):
        page.button_group(key="exercise").set_value(number).run()
        true = exercise.true(step).tolist()
        filled = [[f"{x:.6f}" for x in row] for row in true]
        page.session_state["answers"][Key(3, level, number, step)] = filled
        page.button(key="check").click().run()
        assert not page.exception
        assert page.success[0].value == f"All {exercise.true(step).numel()} cells are right."
    assert any("5 of 5 exercises" in caption.value for caption in page.caption)


# -- stored answers and invalid links ------------------------------------------------------------


def test_an_edit_that_arrives_with_the_check_button_counts() -> None:
    def script() -> None:  # the button's callback runs before the grid's
        from types import SimpleNamespace

        import streamlit as st

        from model.calculator.practice.numeric import numeric_exercises
        from pages.calculator import practice_answers as answers
        from pages.calculator.practice_answers import Key

        answers.initialise()
        st.session_state.update(ask="weights", decimals=4, seed=3, level=1, exercise=2)
        key, exercise = Key(3, 1, 2, "weights"), numeric_exercises(3, 1)[2]
        right = [[f"{x:.4f}" for x in row] for row in exercise.true("weights").tolist()]
        typed = {"number": 1, "fields": {"cells": {"weights": right}}}
        st.session_state[answers.GRIDS] = SimpleNamespace(edited=typed)
        answers.hand_in(key)
        assert answers.checked(key, exercise).complete

    assert not AppTest.from_function(script).run().exception


def session_with_stored_answers(stored: dict) -> AppTest:
    """A session that receives stored answers, and then clears them."""

    def script(stored: dict) -> None:
        from types import SimpleNamespace

        import streamlit as st

        from pages.calculator import practice_answers as answers
        from pages.calculator.practice_answers import Key

        first = Key(1, 1, 0, "weights")

        def edit(**fields: object) -> None:
            edited = {"number": 7, "fields": fields}
            st.session_state[answers.GRIDS] = SimpleNamespace(edited=edited)
            answers.store_edits(first)

        answers.initialise()
        st.session_state["before"] = answers.stored(first)
        edit(stored=stored)
        st.session_state["after"] = answers.stored(first)
        st.session_state["known"] = dict(st.session_state["answers"])
        edit(cleared="1.1.weights")

    page = AppTest.from_function(script, kwargs={"stored": stored}).run()
    assert not page.exception
    return page


RIGHT = {"weights": [["0.5875", "0.4125"], ["0.4125", "0.5875"]]}


def test_stored_answers_are_recalled_until_they_are_cleared() -> None:
    stored = {"set": "1.1.weights", "items": {"0": RIGHT}}
    state = session_with_stored_answers(stored).session_state
    assert (state["before"], state["after"]) == (
        ("1.1.weights", "0", True),
        ("1.1.weights", "0", False),
    )
    assert state["known"] == {Key(1, 1, 0, "weights"): RIGHT["weights"]}
    assert state["answers"] == {}


@pytest.mark.parametrize(
    "stored",
    [
        {"set": "1.1.weights", "items": {}},
        {"set": "1.1.weights", "items": {"9": RIGHT, "x": {}}},
        {"set": "1.1.weights", "items": {"0": {"weights": [["1"]]}}},
        {"set": "1.1.weights", "items": {"1": RIGHT}},  # the exercise is larger
        {"set": "2.1.weights", "items": {"0": RIGHT}},
    ],
)
def test_stored_answers_of_another_size_or_set_are_ignored(stored: dict) -> None:
    assert session_with_stored_answers(stored).session_state["known"] == {}


@pytest.mark.parametrize(
    ("mode", "name", "value"),
    [
        ("own", "mode", "x"),
        ("own", "story", "nosuch"),
        ("own", "form", "qkvx"),
        ("own", "q", "1;2,3"),
        ("own", "q", ",".join("1" * 9)),
        ("own", "q", ";".join("1" * 9)),
        ("own", "heads", "0"),
        ("own", "heads", "two"),
        ("own", "followed", "-1"),
        ("own", "scaled", "yes"),
        ("own", "temperature", "nan"),
        ("own", "temperature", "-1"),
        ("own", "temperature", "inf"),
        ("own", "temperature", "1e7"),
        ("own", "mask", "upper"),
        ("own", "padding", "-2"),
        ("own", "hidden", "zz"),
        ("own", "hidden", "1-2-3"),
        ("own", "hidden", "1--2"),
        ("own", "mistake", "all"),
        ("own", "look", "<b>"),
        ("own", "look", "|pair.0"),
        ("own", "decimals", "9"),
        ("own", "decimals", "1"),
        ("head", "layer", "-1"),
        ("head", "head", "99999999"),
        ("head", "first", "x"),
        ("practice", "level", "7"),
        ("practice", "seed", "-1"),
        ("practice", "seed", "10000"),
        ("practice", "exercise", "5"),
        ("practice", "ask", "everything"),
        ("practice", "reveal", "maybe"),
        ("spread", "d_k", "3"),
        ("spread", "d_k", "2048"),
        ("spread", "keys", "1"),
        ("spread", "spread_seed", "1e3"),
    ],
)
def test_an_unknown_value_in_a_link_gives_a_notice_and_the_default(
    mode: str, name: str, value: str
) -> None:
    page = open_page(**{"mode": mode, name: value})
    assert not page.exception
    assert any(f"{name} = " in warning.value.replace("\\", "") for warning in page.warning)
    parameter = PARAMETERS[name]
    assert page.session_state[parameter.key or name] == parameter.default
    if name != "mode":
        assert address(page)["mode"] == mode


def test_a_link_to_a_missing_head_gives_a_notice_and_the_nearest() -> None:
    page = open_page(mode="head", layer="99", head="3", left="minilm")
    assert not page.exception
    assert page.selectbox(key="layer").value == 5
    assert any("L99" in toast.value for toast in page.toast)


def test_values_beyond_the_sentence_are_clamped_without_a_notice() -> None:
    page = open_page(mode="head", left="minilm", first="5000", look="softmax|pair.200.300")
    expect_no_error(page)
    assert page.session_state["first"] == 0
    expect_no_error(open_page(form="x", heads="2", followed="7"))
    expect_no_error(open_page(look="context|context.9.9", hidden="5-5.0-9", mask="custom"))
    expect_no_error(open_page(look="nosuch|nosuch.1.1", padding="0", mask="padding"))


def test_a_link_with_a_head_but_no_mode_opens_that_head() -> None:
    page = open_page(text="hello there", left="minilm", layer="1", head="8")
    expect_no_error(page)
    assert address(page)["mode"] == "head"
    assert steps(page)["matrices"]["weights"]["rows"] == ["[CLS]", "hello", "there", "[SEP]"]
    captured = torch.from_numpy(
        captures.capture("minilm", "hello there", None).weights[1, 8].copy()
    )
    torch.testing.assert_close(matrix(page, "weights"), captured.double(), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new"), [("scores", "scaled_scores"), ("weights", None), ("output", "context")]
)
def test_old_names_of_questions_still_work(old: str, new: str | None) -> None:
    page = open_page(mode="practice", ask=old)
    assert not page.warning
    assert page.session_state["ask"] == (new or old)
    assert address(page).get("ask") == new  # "weights" is the default


words = st.text("abcdefghijklmnopqrstuvwxyz_", max_size=20)


@given(words, words, st.integers(0, 999), st.integers(0, 999))
def test_a_selection_round_trips_through_a_link(
    card: str, family: str, row: int, column: int
) -> None:
    look = Selection(card, family, row, column) if family else Selection(card)
    assert Selection.read(look.write()) == look


# -- errors --------------------------------------------------------------------------------------


def test_a_temperature_of_zero_is_an_error_that_can_be_corrected() -> None:
    page = open_page(temperature="0")
    assert not page.exception
    sent = steps(page)
    assert "not 0" in sent["problem"]["text"]
    assert [card["id"] for card in sent["cards"]] == ["raw_scores"]
    assert sent["matrices"]["raw_scores"]["values"] == [[1, 0.5], [0, 0.5]]
    assert not NOT_A_NUMBER.search(json.dumps(sent))
    sent = steps(open_page(form="x", temperature="0", mask="padding", padding="9"))
    assert [card["id"] for card in sent["cards"]] == ["project", "raw_scores"]
    page.number_input(key="temperature").set_value(2.0).run()
    expect_no_error(page)
    assert steps(page)["problem"] is None
    for mode in ("own", "head"):
        assert "not 0" in steps(open_page(mode=mode, temperature="0"))["problem"]["text"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"q": ",0;0,1"}, "This cell is empty"),
        ({"q": "1,<b>;0,1"}, "“<b>” is not a number. Write one such as 0.5 or −2."),
        ({"v": "1,nan;0,1"}, "“nan” is not a number"),
        ({"q": "2x0"}, "Q has no columns"),
        ({"k": "1,0;~c5~s,1"}, "“,5;” is not a number. Write one such as 0.5 or −2."),
        ({"k": "1;1"}, "Q has 2 columns and K has 1"),
        ({"v": "1"}, "K has 2 rows and V has 1"),
    ],
)
def test_errors_of_numbers_are_shown_at_their_grid(cells: dict[str, str], message: str) -> None:
    page = open_page(**cells)
    assert not page.exception
    problems = {g["id"]: g["problem"] for g in payload(page, "grids")["grids"] if g["problem"]}
    assert list(problems) == list(cells)
    assert message in problems[next(iter(cells))]["text"]
    assert steps(page)["waiting"]
    assert steps(page)["problem"] is None  # the error appears once
    assert address(page) == {"mode": "own", **cells}


def test_projections_that_do_not_divide_into_heads_are_errors_at_their_grid() -> None:
    page = open_page(form="x", heads="3")
    problems = {g["id"]: g["problem"] for g in payload(page, "grids")["grids"] if g["problem"]}
    assert list(problems) == ["wq"]
    assert "do not split into 3 equal heads" in problems["wq"]["text"]


def test_a_query_without_keys_is_an_error_at_the_mask_and_earlier_steps_remain() -> None:
    page = open_page(mask="padding", padding="2")
    assert not page.exception
    sent = steps(page)
    assert sent["problem"]["card"] == "mask"
    assert "hides every key from query “I”" in sent["problem"]["text"]
    assert [card["id"] for card in sent["cards"]] == ["raw_scores", "scale", "mask"]
    assert not NOT_A_NUMBER.search(json.dumps(sent))


def test_blank_text_gives_a_hint_and_no_error() -> None:
    page = open_page(mode="head", text="  ")
    assert not page.exception
    assert not page.error
    assert any("Type a sentence" in info.value for info in page.info)


# -- practice ------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", STEPS)
def test_no_answer_is_sent_before_it_is_revealed(step: str) -> None:
    page = open_page(mode="practice", level="3", seed="4", exercise="3", ask=step)
    exercise = numeric_exercises(4, 3)[3]
    answers = {x for name in STEPS for x in exercise.true(name).flatten().tolist()}
    # To three digits, without short numbers like 0, 0.5 or 1.25, which may be given.
    distinctive = {f"{abs(x):.6f}"[:5] for x in answers if abs(x * 4 - round(x * 4)) > 1e-6}
    assert len(distinctive) > 5

    def revealed() -> set[str]:
        return {number for number in distinctive if number in everything_sent(page)}

    assert not revealed()
    wrong = [["9" for _ in row] for row in exercise.true(step).tolist()]
    page.session_state["answers"][Key(4, 3, 3, step)] = wrong
    page.button(key="check").click().run()
    assert "0 of" in page.warning[0].value
    assert not revealed()
    page.button(key="show_answer").click().run()
    assert revealed() == distinctive
    page.button(key="show_answer").click().run()
    assert not revealed()


def test_a_set_without_reveal_ignores_earlier_reveals() -> None:
    page = open_page(mode="practice", reveal="0")
    assert not [button for button in page.button if button.key == "show_answer"]
    assert not [toggle for toggle in page.toggle if toggle.key == "reveal"]
    page.session_state["revealed"] = {Key(1, 1, 0, "weights")}
    page.run()
    assert steps(page) is None


def test_a_drawn_mask_is_checked_by_cell_and_revealed_on_demand() -> None:
    page = open_page(mode="practice", level="2", seed="1", ask="mask")
    assert address(page)["ask"] == "mask"
    [grid] = payload(page, "answer_grids")["grids"]
    assert grid["cells"] == [[""] * 6] * 6 and grid["toggles"]
    causal = [["1" if j <= i else "0" for j in range(6)] for i in range(6)]
    page.session_state["answers"][Key(1, 2, 0, "mask")] = causal
    page.button(key="check").click().run()
    assert "33 of 36 cells" in page.warning[0].value  # the window of 3 hides three of them
    grids = payload(page, "answer_grids")["grids"]
    assert len(grids) == 1 and grids[0]["marks"][4] == ["wrong", *["right"] * 5]
    page.button(key="show_answer").click().run()
    right = payload(page, "answer_grids")["grids"][1]["cells"]
    assert right == [["1" if 0 <= i - j <= 3 else "0" for j in range(6)] for i in range(6)]


# -- independence of other pages and sessions ----------------------------------------------------


def test_explore_and_the_calculator_keep_separate_state() -> None:
    page = AppTest.from_file(str(ROUTER), default_timeout=60)
    explored = {"text": "hello there", "left": "scratch-minilm", "right": "scratch"}
    for name, value in explored.items():
        page.query_params[name] = value
    page.run()
    switch_page(page, "calculator/page.py", q="3,0;0,1", tokens="a|b")
    expect_no_error(page)
    switch_page(page, "explore/page.py")
    assert not page.exception
    assert {name: address(page)[name] for name in explored} == explored
    assert (page.selectbox(key="left").value, page.selectbox(key="right").value) == (
        "scratch-minilm",
        "scratch",
    )
    assert not page.warning
    # The link under the right model.
    switch_page(
        page,
        "calculator/page.py",
        mode="head",
        text="hello there",
        left="scratch",
        layer="2",
        head="4",
    )
    expect_no_error(page)
    assert page.selectbox(key="studied").value == "scratch"
    switch_page(page, "explore/page.py")
    assert {name: address(page)[name] for name in explored} == explored
    switch_page(page, "calculator/page.py", mode="own")
    expect_no_error(page)


def test_typed_numbers_survive_a_visit_to_another_page() -> None:
    page = open_page()
    page.session_state["q"] = [["3", "0"], ["0", "1"]]
    page.run()
    typed = matrix(page, "context")
    assert address(page)["q"] == "3,0;0,1"
    switch_page(page, "about/page.py")
    assert not page.exception
    switch_page(page, "calculator/page.py")
    expect_no_error(page)
    torch.testing.assert_close(matrix(page, "context"), typed)
    assert address(page)["q"] == "3,0;0,1"


def test_two_sessions_have_separate_state() -> None:
    one, other = open_page(), open_page()
    one.session_state["q"] = [["5", "0"], ["0", "1"]]
    one.run()
    other.run()
    assert matrix(one, "Q").tolist() == [[5, 0], [0, 1]]
    assert matrix(other, "Q").tolist() == [[1, 0], [0, 1]]
    assert open_page().session_state["q"] == [["1", "0"], ["0", "1"]]


@given(
    cells=st.lists(
        st.lists(st.text(",;~|cs 1.-", max_size=6).map(str.strip), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    ),
    names=st.lists(st.text("ab|~p ,", min_size=1, max_size=9), min_size=2, max_size=8),
)
def test_typed_text_round_trips_through_the_url(cells: list[list[str]], names: list[str]) -> None:
    q, tokens = PARAMETERS["q"], PARAMETERS["tokens"]
    assert q.parse(q.write(cells)) == cells
    assert tokens.parse(tokens.write(names)) == names


def test_an_unknown_token_shows_the_typed_text() -> None:
    names = HeadCalculation(StackRequest("minilm", "encoder", "the 🦩 slept"), 3, 1, 0).names()
    assert names.keys == names.queries == ("[CLS]", "the", "[UNK] 🦩", "slept", "[SEP]")
