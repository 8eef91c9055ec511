"""The Calculator page as a whole, without a browser."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from model.calculator import MISTAKES, PRESETS
from model.calculator.exercises import ASKED, LEVELS, STEPS, exercises
from model.calculator.mistake_exercises import mistake_exercises
from pages.calculator import practice_print
from pages.calculator.address import MODES, PARAMETERS
from pages.calculator.asked import Asked
from pages.calculator.head_task import Head
from pages.calculator.look import Look
from pages.calculator.practice_kinds import Asking, Key, kind_of
from pages.shared import captures
from tests.pages.conftest import ROUTER
from tests.pages.figures import figures
from viz.cards.worksheet import written
from viz.style.formula import mathml

NOT_A_NUMBER = re.compile(r"\bnan\b", re.IGNORECASE)


def open_page(**address: str) -> AppTest:
    """A bare visit of the Calculator."""
    page = AppTest.from_file(str(ROUTER), default_timeout=60).run()
    return enter(page, "calculator/page.py", **address)


def enter(page: AppTest, name: str, **address: str) -> AppTest:
    """Go to another page, as by the menu: nothing of the former address is left."""
    page.query_params.clear()
    page.switch_page(name)
    for parameter, value in address.items():
        page.query_params[parameter] = value
    return page.run()


def payload(page: AppTest, key: str) -> dict | None:
    """What a component of ours was sent."""
    found = [node for node in page.get("bidi_component") if node.key == key]
    return json.loads(found[0].proto.json) if found else None


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
    """Every element's message, those of our components included."""

    def walk(block) -> Iterator[str]:
        for child in block.children.values():
            if hasattr(child, "children"):
                yield from walk(child)
            else:
                yield str(child.proto)
                yield getattr(child.proto, "json", "") or ""

    return "\n".join(walk(page.main))


def is_well(page: AppTest) -> None:
    assert not page.exception
    assert not page.error
    assert not NOT_A_NUMBER.search(json.dumps(steps(page)))


# -- every mode and every example ----------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_runs_on_a_bare_visit_and_says_so_in_the_address(mode: str) -> None:
    page = open_page(mode=mode)
    assert not page.exception
    assert not page.error
    assert not page.warning
    assert address(page)["mode"] == mode


def test_a_first_visit_calculates_the_first_exercise() -> None:
    page = open_page()
    is_well(page)
    torch.testing.assert_close(
        matrix(page, "weights"),
        torch.tensor([[0.5875, 0.4125], [0.4125, 0.5875]], dtype=torch.float64),
        rtol=0,
        atol=0.5e-4,
    )
    assert address(page) == {"mode": "own"}
    page.button_group(key="mode").set_value("spread").run()
    assert not page.exception
    assert len(figures(page)) == 4
    assert address(page) == {"mode": "spread"}


@pytest.mark.parametrize("name", PRESETS)
def test_each_example_is_calculated_and_its_link_restores_it(name: str) -> None:
    page = open_page()
    page.selectbox(key="preset").set_value(name).run()
    is_well(page)
    weights = matrix(page, "weights")
    torch.testing.assert_close(weights.sum(-1), torch.ones(len(weights), dtype=torch.float64))
    again = open_page(**address(page))
    is_well(again)
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
    if wrong != "inverted_mask":  # there a row that may see everything has nothing left
        is_well(page)


SYMBOLS = {
    "inverted_mask": r"S''_{\text{✗}}",
    "wrong_axis": "S''",
    "unscaled": r"S''_{\text{✗}}",
    "mask_after_softmax": r"\text{softmax}(S')",
    "after_dropout": "A",
}


@pytest.mark.parametrize("wrong", MISTAKES)
def test_what_a_mistake_begins_with_bears_its_own_symbol(wrong: str) -> None:
    source = steps(open_page(mistake=wrong))["matrices"]["source"]
    assert source["symbol"] == mathml(SYMBOLS[wrong])
    scores = wrong not in ("mask_after_softmax", "after_dropout")
    sums = [sum(x for x in row if isinstance(x, float)) for row in source["values"]]
    assert scores or sums == pytest.approx([1, 1])  # weights they are


# -- an example's story ----------------------------------------------------------------------------


def story(page: AppTest) -> str:
    (said,) = [text.value for text in page.caption if "Small enough" in text.value]
    return said


def test_an_examples_story_is_in_its_link_and_says_when_its_numbers_have_changed() -> None:
    page = open_page()
    assert not [text for text in page.caption if "Small enough" in text.value]
    page.selectbox(key="preset").set_value("exercise").run()
    told = story(page)
    assert "Exercise 1: two tokens" in told
    assert address(page)["story"] == "exercise"
    assert story(open_page(**address(page))) == told
    page.session_state["q"] = [["3", "0"], ["0", "1"]]
    page.run()
    assert "Changed since" in story(page)
    assert address(page)["story"] == "exercise"  # and its link says the same
    assert story(open_page(**address(page))) == story(page)
    page.session_state["q"] = [["1", "0"], ["0", "1"]]
    page.run()
    assert story(page) == told
    page.number_input(key="temperature").set_value(2.0).run()
    assert "Settings changed" in story(page)
    page.session_state["form"] = "x"
    page.run()
    assert "Changed since" in story(page)


def test_keys_from_elsewhere_without_a_name_are_called_keys() -> None:
    page = open_page()
    page.toggle(key="cross").set_value(True).run()
    page.session_state["k"] = [["1", "0"], ["0", "1"], ["1", "1"]]
    page.session_state["v"] = [["1", "0"], ["0", "1"], ["1", "1"]]
    page.run()
    weights = steps(page)["matrices"]["weights"]
    assert weights["columns"] == ["key 0", "key 1", "key 2"]
    assert weights["rows"] == ["I", "think"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("asked", STEPS)
def test_each_exercise_of_each_level_is_asked_and_its_true_answers_are_right(
    level: int, asked: str
) -> None:
    page = open_page(mode="practice", level=str(level), ask=asked, seed="3", decimals="6")
    for number, exercise in enumerate(exercises(3, level)):
        page.button_group(key="exercise").set_value(number).run()
        true = exercise.true(asked).tolist()
        filled = {asked: [[f"{x:.6f}" for x in row] for row in true]}
        page.session_state["answers"][Key(3, level, number)] = filled
        page.button(key="check").click().run()
        assert not page.exception
        assert "right" in page.success[0].value
    assert any("5 of 5 exercises" in caption.value for caption in page.caption)


# -- links that make no sense --------------------------------------------------------------------


def test_a_last_cell_handed_in_together_with_the_button_counts() -> None:
    def script() -> None:  # the button's callback, before the grid's has been called
        from types import SimpleNamespace

        import streamlit as st

        from model.calculator.exercises import exercises
        from pages.calculator import answers
        from pages.calculator.practice_kinds import Key

        answers.begin()
        st.session_state.update(ask="weights", decimals=4)
        right = [[f"{x:.4f}" for x in row] for row in exercises(3, 1)[2].true("weights").tolist()]
        typed = {"version": 1, "cells": {"weights": right}, "names": {}}
        st.session_state[answers.GRIDS] = SimpleNamespace(edited=typed)
        answers.hand_in(Key(3, 1, 2))

    page = AppTest.from_function(script).run()
    step, decimals, right, total = page.session_state["results"][Key(3, 1, 2)]
    assert (step, decimals) == ("weights", 4)
    assert right == total > 0


def recalling(told: dict) -> AppTest:
    """A session that is told what the browser has kept of a set, twice, and then clears it."""

    def script(told: dict) -> None:
        from types import SimpleNamespace

        import streamlit as st

        from pages.calculator import answers
        from pages.calculator.practice_kinds import Key

        first = Key(1, 1, 0)

        def browser(**says: object) -> None:
            typed = {"version": 7, "cells": {}, "names": {}, **says}
            st.session_state[answers.GRIDS] = SimpleNamespace(edited=typed)
            answers.keep(first)

        answers.begin()
        st.session_state.update(ask="weights", decimals=4, seed=1, level=1)
        st.session_state["before"] = answers.kept(first).payload()
        browser(kept=told)
        browser(kept=told)
        st.session_state["after"] = answers.kept(first).payload()
        st.session_state["score"] = answers.results()
        st.session_state["known"] = {k: dict(v) for k, v in st.session_state["answers"].items()}
        browser(cleared="1.1")
        st.session_state["cleared"] = answers.kept(first).payload()

    page = AppTest.from_function(script, kwargs={"told": told}).run()
    assert not page.exception
    return page


RIGHT = {"weights": [["0.5875", "0.4125"], ["0.4125", "0.5875"]]}


def test_what_the_browser_has_kept_of_a_set_is_taken_over_marks_and_score_included() -> None:
    state = recalling(
        {"set": "1.1", "items": {"0": {"filled": RIGHT, "handed": RIGHT}}}
    ).session_state
    assert state["before"] == {"set": "1.1", "item": "0", "unknown": True, "handed": None}
    assert state["after"] == {"set": "1.1", "item": "0", "unknown": False, "handed": RIGHT}
    assert state["known"][Key(1, 1, 0)] == RIGHT
    assert state["score"] == {0: (4, 4)}
    assert (state["snapshots"], state["results"]) == ({}, {})  # cleared
    assert not any(state["answers"].values())
    assert state["cleared"] == {"set": "1.1", "item": "0", "unknown": False, "handed": None}


@pytest.mark.parametrize(
    "items",
    [
        {},
        {"9": {"filled": RIGHT}, "x": {}},
        {"0": {"filled": {"weights": [["1"]]}, "handed": {"other": [["1"]]}}},
        {"1": {"filled": RIGHT, "handed": RIGHT}},  # that exercise is larger
    ],
)
def test_what_fits_no_grid_of_the_set_is_not_taken_over(items: dict) -> None:
    state = recalling({"set": "1.1", "items": items}).session_state
    assert not any(state["known"].values())
    assert state["score"] == {}


def test_what_was_kept_of_another_set_is_not_taken_over() -> None:
    state = recalling({"set": "2.1", "items": {"0": {"filled": RIGHT}}}).session_state
    assert not any(state["known"].values())
    assert state["after"]["unknown"]


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
def test_a_link_with_an_unknown_value_says_so_and_shows_the_default(
    mode: str, name: str, value: str
) -> None:
    page = open_page(**{"mode": mode, name: value})
    assert not page.exception
    assert any(f"{name} = " in warning.value.replace("\\", "") for warning in page.warning)
    parameter = PARAMETERS[name]
    assert page.session_state[parameter.key or name] == parameter.default
    if name != "mode":
        assert address(page)["mode"] == mode


def test_a_link_to_a_head_that_the_model_lacks_shows_the_nearest_and_says_so() -> None:
    page = open_page(mode="head", layer="99", head="3", left="minilm")
    assert not page.exception
    assert page.selectbox(key="layer").value == 5
    assert any("L99" in toast.value for toast in page.toast)


def test_values_beyond_what_there_is_are_brought_inside_without_a_fuss() -> None:
    page = open_page(mode="head", left="minilm", first="5000", look="softmax|pair.200.300")
    is_well(page)
    assert page.session_state["first"] == 0
    is_well(open_page(form="x", heads="2", followed="7"))
    is_well(open_page(look="context|context.9.9", hidden="5-5.0-9", mask="custom"))
    is_well(open_page(look="nosuch|nosuch.1.1", padding="0", mask="padding"))


def test_a_link_without_a_mode_that_names_a_head_means_that_head() -> None:
    page = open_page(text="hello there", left="minilm", layer="1", head="8")
    is_well(page)
    assert address(page)["mode"] == "head"
    assert steps(page)["matrices"]["weights"]["rows"] == ["[CLS]", "hello", "there", "[SEP]"]
    captured = torch.from_numpy(
        captures.capture("minilm", "hello there", None).weights[1, 8].copy()
    )
    torch.testing.assert_close(matrix(page, "weights"), captured.double(), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scores|", "raw_scores|"),
        ("output|", "context|"),
        ("project_out|", "project_out|"),
        ("|output.1.0", "|context.1.0"),
        ("output|output.1.0", "context|context.1.0"),
        ("|joined.1.2", "|concatenated.1.2"),
        ("concat|joined.1.2", "concat|concatenated.1.2"),
        ("|Y.2.1", "|project_O.2.1"),
        ("project_out|Y.2.1", "project_out|project_O.2.1"),
        ("scores|pair.1.0", "raw_scores|pair.1.0"),
    ],
)
def test_an_older_links_look_is_found_by_its_name_of_today(old: str, new: str) -> None:
    page = open_page(form="x", look=old)
    is_well(page)
    assert not page.warning
    assert page.session_state["look"] == Look.read(new)
    assert address(page).get("look") == new
    sent = steps(page)
    cards = {card["id"] for card in sent["cards"]}
    families = {line["family"] for card in sent["cards"] for line in card["lines"]}
    assert sent["look"] == asdict(Look.read(new))
    assert sent["look"]["card"] in {"", *cards}
    assert sent["look"]["family"] in {"", *families}


@pytest.mark.parametrize(
    ("old", "new"), [("scores", "scaled_scores"), ("weights", None), ("output", "context")]
)
def test_an_older_links_question_is_asked_by_its_name_of_today(old: str, new: str | None) -> None:
    page = open_page(mode="practice", ask=old)
    assert not page.warning
    assert page.session_state["ask"] == (new or old)
    assert address(page).get("ask") == new  # the weights are asked for unless a link says otherwise


words = st.text("abcdefghijklmnopqrstuvwxyz_", max_size=20)


@given(words, words, st.integers(0, 999), st.integers(0, 999))
def test_a_look_comes_back_from_its_link(card: str, family: str, row: int, column: int) -> None:
    look = Look(card, family, row, column) if family else Look(card)
    assume(card not in ("scores", "output") and family not in ("output", "joined", "Y"))
    assert Look.read(look.write()) == look


# -- what is in the way --------------------------------------------------------------------------


def test_a_temperature_of_zero_is_answered_in_words_and_mended() -> None:
    page = open_page(temperature="0")
    assert not page.exception
    sent = steps(page)
    assert "The temperature is 0" in sent["problem"]["text"]
    assert [card["id"] for card in sent["cards"]] == ["raw_scores"]  # what is not divided stands
    assert sent["matrices"]["raw_scores"]["values"] == [[1, 0.5], [0, 0.5]]
    assert not NOT_A_NUMBER.search(json.dumps(sent))
    sent = steps(open_page(form="x", temperature="0", mask="padding", padding="9"))
    assert [card["id"] for card in sent["cards"]] == ["project", "raw_scores"]
    page.number_input(key="temperature").set_value(2.0).run()
    is_well(page)
    assert steps(page)["problem"] is None
    for mode in ("own", "head"):
        assert (
            "The temperature is 0"
            in steps(open_page(mode=mode, temperature="0"))["problem"]["text"]
        )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"q": ",0;0,1"}, "This cell is empty"),
        ({"q": "1,<b>;0,1"}, "“<b>” is not a number."),
        ({"v": "1,nan;0,1"}, "“nan” is not a finite number"),
        ({"q": "2x0"}, "Q has no columns"),
        ({"k": "1,0;~c5~s,1"}, "“,5;” is not a number."),
        ({"k": "1;1"}, "Q has 2 columns and K has 1"),
        ({"v": "1"}, "K has 2 rows and V has 1"),
    ],
)
def test_numbers_that_cannot_be_calculated_are_said_at_their_grid(
    cells: dict[str, str], said: str
) -> None:
    page = open_page(**cells)
    assert not page.exception
    problems = {g["id"]: g["problem"] for g in payload(page, "grids")["grids"] if g["problem"]}
    assert list(problems) == list(cells)
    assert said in problems[next(iter(cells))]["text"]
    assert steps(page)["waiting"]
    assert steps(page)["problem"] is None  # it is said once
    assert address(page) == {"mode": "own", **cells}


def test_projections_that_do_not_divide_into_heads_are_said_at_their_grid() -> None:
    page = open_page(form="x", heads="3")
    problems = {g["id"]: g["problem"] for g in payload(page, "grids")["grids"] if g["problem"]}
    assert list(problems) == ["wq"]
    assert "do not divide into 3 heads" in problems["wq"]["text"]


def test_a_blind_query_is_said_at_the_mask_whose_steps_before_it_stand() -> None:
    page = open_page(mask="padding", padding="2")
    assert not page.exception
    sent = steps(page)
    assert sent["problem"]["card"] == "mask"
    assert "Query “I” has every key masked" in sent["problem"]["text"]
    assert [card["id"] for card in sent["cards"]] == ["raw_scores", "scale", "mask"]
    assert not NOT_A_NUMBER.search(json.dumps(sent))


def test_blank_text_is_a_hint_and_no_error() -> None:
    page = open_page(mode="head", text="  ")
    assert not page.exception
    assert not page.error
    assert any("Type a sentence" in info.value for info in page.info)


# -- practice keeps its answers to itself --------------------------------------------------------


@pytest.mark.parametrize("asked", STEPS)
def test_no_answer_is_sent_before_it_is_revealed(asked: str) -> None:
    page = open_page(mode="practice", level="3", seed="4", exercise="3", ask=asked)
    exercise = exercises(4, 3)[3]
    answers = {x for step in STEPS for x in exercise.true(step).flatten().tolist()}
    # To three digits, unless it is as short as the given ones: 0, 0.5, 1.25, …
    telling = {f"{abs(x):.6f}"[:5] for x in answers if abs(x * 4 - round(x * 4)) > 1e-6}
    assert len(telling) > 5

    def told() -> set[str]:
        return {number for number in telling if number in everything_sent(page)}

    assert not told()
    wrong = [["9" for _ in row] for row in exercise.true(asked).tolist()]
    page.session_state["answers"][Key(4, 3, 3)] = {asked: wrong}
    page.button(key="check").click().run()
    assert "0 of" in page.warning[0].value
    assert not told()
    page.button(key="show_answer").click().run()
    assert told() == telling
    page.button(key="show_answer").click().run()
    assert not told()


def test_a_set_without_reveal_does_not_even_remember_to_reveal() -> None:
    page = open_page(mode="practice", reveal="0")
    assert not [button for button in page.button if button.key == "show_answer"]
    assert not [toggle for toggle in page.toggle if toggle.key == "reveal"]
    page.session_state["revealed"] = {Key(1, 1, 0)}
    page.run()
    assert steps(page) is None


def test_a_mask_to_draw_is_checked_cell_by_cell_and_shown_only_when_it_is_revealed() -> None:
    page = open_page(mode="practice", level="2", seed="1", ask="mask")
    assert address(page)["ask"] == "mask"
    [grid] = payload(page, "answer_grids")["grids"]
    assert grid["cells"] == [[""] * 6] * 6 and grid["toggles"]
    causal = [["1" if j <= i else "0" for j in range(6)] for i in range(6)]
    page.session_state["answers"][Key(1, 2, 0, "mask")] = {"mask": causal}
    page.button(key="check").click().run()
    assert "33 of 36 cells" in page.warning[0].value  # the window of 3 hides three of them
    assert "query 4" in page.warning[0].value
    grids = payload(page, "answer_grids")["grids"]
    assert len(grids) == 1 and grids[0]["marks"][4] == ["wrong", *["right"] * 5]
    page.button(key="show_answer").click().run()
    right = payload(page, "answer_grids")["grids"][1]["cells"]
    assert right == [["1" if 0 <= i - j <= 3 else "0" for j in range(6)] for i in range(6)]


def test_a_wrong_guess_is_told_what_its_mistake_would_have_given() -> None:
    page = open_page(mode="practice", level="2", seed="3", ask="mistake", exercise="1", reveal="0")
    exercise = mistake_exercises(3, 2)[1]
    shown = {grid["id"]: grid["cells"] for grid in payload(page, "answer_grids")["grids"]}
    assert [*shown] == ["Q", "K", "V", "given_weights", "given_context"]
    made = exercise.with_mistake(exercise.made).weights[0].tolist()
    assert shown["given_weights"] == [[written(x, 4) for x in row] for row in made]
    wrong = next(name for name in MISTAKES if name != exercise.made)
    page.radio(key="guess").set_value(wrong).run()
    page.button(key="check").click().run()
    guessed = payload(page, "answer_grids")["grids"][-1]
    would = exercise.with_mistake(wrong).weights[0].tolist()
    assert guessed["cells"] == [[written(x, 4) for x in row] for row in would]
    page.radio(key="guess").set_value(exercise.made).run()
    page.button(key="check").click().run()
    assert "That is it." in page.success[0].value
    # What was handed in is what the browser keeps.
    assert payload(page, "answer_grids")["keep"]["handed"] == {"mistake": [[exercise.made]]}
    assert payload(page, "answer_grids")["keep"]["set"] == "3.2.mistake"


@pytest.mark.parametrize("asked", ASKED)
def test_a_set_is_printed_and_its_answers_only_where_they_may_be_revealed(asked: str) -> None:
    page = open_page(mode="practice", level="3", seed="4", ask=asked)
    assert {"print_set", "print_answers"} <= {each.key for each in page.get("download_button")}
    asking = Asking(asked, 4)
    key = Key(4, 3, 0, kind_of(asked))
    blank, told = (practice_print.sheet(key, asking, answers) for answers in (False, True))
    assert told.count("<section>") == 10 and blank.count("<section>") == 5
    # A cell that is empty on the task's pages is on the answers' pages, and in no other file.
    assert "✗</td>" not in blank
    if asked in STEPS:
        true = [x for each in exercises(4, 3) for x in each.true(asked).flatten().tolist()]
        cells = [written(x, 4) for x in true if abs(x * 4 - round(x * 4)) > 1e-6]
        assert cells and all(f"<td>{x}</td>" in told for x in cells)
        assert not any(f"<td>{x}</td>" in blank for x in cells)
    page = open_page(mode="practice", level="3", seed="4", ask=asked, reveal="0")
    assert "print_answers" not in {each.key for each in page.get("download_button")}


# -- beside Explore ------------------------------------------------------------------------------


def test_explore_and_the_calculator_do_not_disturb_each_other() -> None:
    page = AppTest.from_file(str(ROUTER), default_timeout=60)
    explored = {"text": "hello there", "left": "scratch-minilm", "right": "scratch"}
    for name, value in explored.items():
        page.query_params[name] = value
    page.run()
    enter(page, "calculator/page.py", q="3,0;0,1", tokens="a|b")
    is_well(page)
    enter(page, "explore/page.py")
    assert not page.exception
    assert {name: address(page)[name] for name in explored} == explored
    assert (page.selectbox(key="left").value, page.selectbox(key="right").value) == (
        "scratch-minilm",
        "scratch",
    )
    assert not page.warning
    # As the link under the right model says it.
    enter(
        page,
        "calculator/page.py",
        mode="head",
        text="hello there",
        left="scratch",
        layer="2",
        head="4",
    )
    is_well(page)
    assert page.selectbox(key="studied").value == "scratch"
    enter(page, "explore/page.py")
    assert {name: address(page)[name] for name in explored} == explored
    enter(page, "calculator/page.py", mode="own")
    is_well(page)


def test_typed_numbers_outlive_a_look_at_another_page() -> None:
    page = open_page()
    page.session_state["q"] = [["3", "0"], ["0", "1"]]
    page.run()
    typed = matrix(page, "context")
    assert address(page)["q"] == "3,0;0,1"
    enter(page, "about/page.py")
    assert not page.exception
    enter(page, "calculator/page.py")
    is_well(page)
    torch.testing.assert_close(matrix(page, "context"), typed)
    assert address(page)["q"] == "3,0;0,1"


def test_two_visitors_do_not_disturb_each_other() -> None:
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
def test_whatever_is_typed_comes_back_from_the_address(
    cells: list[list[str]], names: list[str]
) -> None:
    q, tokens = PARAMETERS["q"], PARAMETERS["tokens"]
    assert q.parse(q.write(cells)) == cells
    assert tokens.parse(tokens.write(names)) == names


def test_a_token_that_the_vocabulary_lacks_says_what_was_typed() -> None:
    names = Head(Asked("minilm", "encoder", "the 🦩 slept"), 3, 1, 0).names()
    assert names.keys == names.queries == ("[CLS]", "the", "[UNK] 🦩", "slept", "[SEP]")
