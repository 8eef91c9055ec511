import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from model.calculator.practice.exercise import LEVELS, Assignment
from model.calculator.practice.numeric import NumericExercise, numeric_exercises, tolerance
from model.calculator.settings import CalculatorSettings
from model.errors import HeadlightError
from tests.model.calculator.tensors import matrix

STEPS = ("scaled_scores", "weights", "context")
seeds = st.integers(0, 999_999_999)
levels = st.sampled_from(LEVELS)


def marks(exercise, cells, question, decimals):
    return exercise.check(cells, Assignment(question, decimals)).marks


def written(grid, decimals=4):
    """The numbers as a person types them."""
    return [[f"{value:.{decimals}f}" for value in row] for row in grid.tolist()]


PLAIN, CAUSAL = numeric_exercises(1, 1)[:2]  # the lesson's exercises


def test_lesson_exercises_give_the_numbers_worked_by_hand_with_unmasked_scores():
    plain = matrix([1.5875, 0.4125], [1.4125, 0.5875])
    assert_close(PLAIN.true("context"), plain, atol=5e-5, rtol=0)
    assert_close(CAUSAL.true("scaled_scores"), matrix([1, 0, 1], [0.5, 1, 0], [0.5, 1, 2]))
    e = math.e
    half_and_one, all_three = e**0.5 + e, e**0.5 + e + e**2
    weights = matrix(
        [1, 0, 0],
        [e**0.5 / half_and_one, e / half_and_one, 0],
        [e**0.5 / all_three, e / all_three, e**2 / all_three],
    )
    assert_close(CAUSAL.true("weights"), weights)
    assert_close(CAUSAL.true("context"), weights @ matrix([1, 0], [0, 2], [2, 1]))


def test_a_seed_and_level_draw_equal_exercises_in_every_process_and_others_differ():
    """Existing links and lesson sheets rely on it."""
    last = numeric_exercises(2024, 3)[4]
    assert last.q.tolist() == [[0, 1, 0], [-1, -1, 0], [0, 2, 0]]
    assert last.k.tolist() == [[1.5, -0.5, 0.5], [-0.5, 0, 0.5], [0, -0.5, 1.5]]
    assert last.v.tolist() == [[2, 0], [-1, 0], [0, 2]]
    drawn = [
        (exercise.q.tolist(), exercise.k.tolist(), exercise.v.tolist(), exercise.settings)
        for seed in range(8)
        for level in LEVELS
        for exercise in numeric_exercises(seed, level)
    ]
    assert len({str(exercise) for exercise in drawn}) == 8 * 3 * 5


@given(seed=seeds.filter(lambda seed: seed != 1), level=levels)
def test_sizes_and_numbers_match_the_level(seed, level):
    five = numeric_exercises(seed, level)
    assert len(five) == 5
    for exercise in five:
        (n_tokens, d_k), (n_values, d_v) = exercise.q.shape, exercise.v.shape
        assert exercise.k.shape == (n_tokens, d_k)
        assert n_values == n_tokens
        assert n_tokens in {1: [2], 2: [3], 3: [3, 4]}[level]
        assert d_k in {1: [2, 4], 2: [4], 3: [2, 3, 4]}[level]
        assert d_v in {1: [2], 2: [2], 3: [2, 3]}[level]
        for numbers in (exercise.q, exercise.k * 2, exercise.v):
            assert numbers.dtype == torch.float64
            assert (numbers == numbers.round()).all()
            assert numbers.abs().max() <= 3
            assert level == 3 or numbers.min() >= 0
    twists = {
        1: "none 1, none 1, none 1, none 1, none 1",
        2: "none 1, causal 1, none 1, causal 1, causal 1",
        3: "none 1, causal 1, causal 1, padding 1, none 2",
    }[level]
    found = [f"{each.settings.mask} {each.settings.temperature:g}" for each in five]
    assert ", ".join(found) == twists


@given(seed=seeds, level=levels)
def test_no_row_of_an_exercise_is_trivial(seed, level):
    for exercise in numeric_exercises(seed, level):
        assert all(len(set(row)) > 1 for row in exercise.true("scaled_scores").tolist())
        assert all(len(set(column)) > 1 for column in exercise.v.T.tolist())
        for row in exercise.true("weights").tolist():
            weights = [weight for weight in row if weight > 0]
            if len(weights) > 1:
                assert max(weights) <= 0.97
                assert max(weights) - min(weights) > 1e-9
        assert len({tuple(row) for row in written(exercise.true("context"), 6)}) == len(exercise.q)


def test_an_invalid_seed_or_level_raises_a_headlight_error():
    for seed in (-1, 1_000_000_000, 1.5):
        with pytest.raises(HeadlightError, match="from 0 to 999999999"):
            numeric_exercises(seed, 1)
    for level in (0, 4, "2"):
        with pytest.raises(HeadlightError, match="from 1 to 3"):
            numeric_exercises(0, level)


@given(
    seed=seeds,
    level=levels,
    number=st.integers(0, 4),
    decimals=st.integers(2, 6),
    step=st.sampled_from(STEPS),
    cell=st.integers(0, 15),
    off=st.sampled_from([-10, -9, 9, 10]),  # no rounding between the steps gives such an error
)
def test_true_answers_are_right_and_one_wrong_cell_is_found(
    seed, level, number, decimals, step, cell, off
):
    exercise = numeric_exercises(seed, level)[number]
    true = exercise.true(step)
    cells = written(true, decimals)
    checked = exercise.check(cells, Assignment(step, decimals))
    assert checked.complete and not checked.wrong
    assert checked.right == checked.total == true.numel()
    assert (len(cells), len(cells[0])) == exercise.shape(step)
    row, column = divmod(cell % true.numel(), true.shape[1])
    cells = written(true)
    cells[row][column] = f"{true[row, column] + off * 1e-4:.6f}"
    checked = exercise.check(cells, Assignment(step, 4))
    assert checked.marks[row][column] == "wrong"
    assert checked.wrong and not checked.complete
    assert checked.right == checked.total - 1


@pytest.mark.parametrize(
    ("question", "made", "said"),
    [
        ("scaled_scores", lambda x: x.q @ x.k.T, "without √dₖ"),
        ("weights", lambda x: x.true("weights") - matrix([0] * 3, [0, 0.1225, 0], [0] * 3), None),
        ("scaled_scores", lambda x: x.k @ x.q.T / x.q.shape[1] ** 0.5, "a row is a query"),
        ("weights", lambda x: (x.q @ x.k.T / x.q.shape[1] ** 0.5).softmax(-1), "without the mask"),
        ("context", lambda x: x.calculation().steps.masked_scores[0].softmax(0) @ x.v, "columns"),
    ],
)
def test_wrong_cells_that_one_mistake_explains_name_it(question, made, said):
    cells, assignment = written(made(CAUSAL)), Assignment(question, 4)
    slip = CAUSAL.slip(cells, CAUSAL.check(cells, assignment), assignment)
    assert said in str(slip) if said else slip is None


def test_an_answer_without_cells_is_not_counted():
    checked = PLAIN.check([["", ""], ["", ""]], Assignment("weights", 4))
    assert not checked.wrong and str(checked.summary()) == "Fill in the cells first."


def test_tolerance_is_two_units_of_the_last_decimal():
    """The true score is 1, and so is the one from rounded steps."""
    assert tolerance(2) == pytest.approx(0.02)
    for text, mark in (
        ("1.02", "right"),
        ("0.98", "right"),
        ("1.021", "wrong"),
        ("0.979", "wrong"),
    ):
        cells = [[text, "0", "1"], ["0.5", "1", "0"], ["0.5", "1", "2"]]
        assert marks(CAUSAL, cells, "scaled_scores", 2)[0][0] == mark


@pytest.mark.parametrize(
    ("k", "v", "question", "right", "wrong"),
    [
        # e^-5 and e^-4 are 0.0067 and 0.0183: 1/(1+e) = 0.2689, and 0.01/0.03 = 0.3333.
        ((-5, -4), ([1], [2]), "weights", ("0.27 0.73", "0.33 0.67", "0.27 0.67"), ("0.30 0.70",)),
        # e^-7 and e^-6 are 0.0009 and 0.0025: to 2 decimals, 0/0.
        ((-7, -6), ([1], [2]), "weights", ("0.27 0.73",), ("0.50 0.50", "0 0")),
        # 100 times 1/(1+e) is 26.89; (1.00, 2.72) / 3.72 are 0.27 and 0.73.
        (
            (0, 1),
            ([100, 0], [0, 100]),
            "context",
            ("26.89 73.11", "27.00 73.00", "27.02 72.98"),
            ("26.95 73.05", "27.03 72.97"),
        ),
    ],
)
def test_answers_from_rounded_steps_are_right(k, v, question, right, wrong):
    """For q = 1 and d_k = 1: the scores are k."""
    rows = matrix(*([each] for each in k))
    exercise = NumericExercise(matrix([1]), rows, matrix(*v), CalculatorSettings())
    for mark, texts in (("right", right), ("wrong", wrong)):
        for text in texts:
            assert marks(exercise, [text.split()], question, 2)[0] == [mark, mark]


def test_scores_from_a_rounded_root_are_right():
    """100 / 1.4142 is 70.71, and 100 / 1.41 is 70.922."""
    exercise = NumericExercise(
        matrix([10, 0]), matrix([10, 0], [0, 1]), PLAIN.v, CalculatorSettings()
    )
    found = [
        marks(exercise, [[text, "0"]], "scaled_scores", 2)[0][0]
        for text in ("70.73", "70.80", "70.92", "70.95")
    ]
    assert found == ["right", "wrong", "right", "wrong"]


def test_cells_accept_the_calculators_number_formats():
    cells = [["0,7071", " 35.355 % "], ["−0", ""]]
    checked = PLAIN.check(cells, Assignment("scaled_scores", 4))
    assert checked.marks == [["right", "right"], ["right", "empty"]]
    assert (checked.right, checked.total, checked.complete) == (3, 4, False)
    assert not checked.wrong  # an empty cell is not wrong
    # A number with three decimals may have a decimal comma.
    assert marks(PLAIN, [["1,588", "1.588"], ["", ""]], "context", 3)[0] == ["right", "wrong"]
    for text in ("x", "nan", "1e999", "0.7071 0.3536"):
        found = marks(PLAIN, [[text, " "], ["", ""]], "scaled_scores", 4)
        assert found == [["unreadable", "empty"], ["empty", "empty"]]


@pytest.mark.parametrize("cells", [[], [["1"], ["2"]], [["1", "2"], ["3"]]])
def test_a_grid_of_another_size_raises_a_headlight_error(cells):
    with pytest.raises(HeadlightError, match="scores needs 2 rows of 2 cells"):
        marks(PLAIN, cells, "scaled_scores", 4)
