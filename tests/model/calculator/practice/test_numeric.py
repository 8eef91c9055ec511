"""Numeric exercises: worked numbers, drawing, marks, slips and answer formats."""

import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch.testing import assert_close

from model.calculator.practice.exercise import LEVELS, STEPS, Assignment
from model.calculator.practice.numeric import NumericExercise, numeric_exercises
from model.calculator.practice.numeric_check import tolerance
from model.calculator.settings import Settings
from model.errors import HeadlightError

seeds = st.integers(0, 999_999_999)
levels = st.sampled_from(LEVELS)
numbers_of_exercise = st.integers(0, 4)


def matrix(*rows):
    return torch.tensor(rows, dtype=torch.float64)


def check(exercise, answers, question, decimals):
    return exercise.check(answers, Assignment(question, decimals))


def written(grid, decimals=4):
    """The numbers as a person types them."""
    return [[f"{value:.{decimals}f}" for value in row] for row in grid.tolist()]


def right_answers(exercise, decimals=4):
    return {step: written(exercise.true(step), decimals) for step in STEPS}


PLAIN, CAUSAL = numeric_exercises(1, 1)[:2]  # the lesson's exercises
# Three tokens and d_k = d_v = 3, so that K and V can be transposed by mistake; a temperature.
SQUARE = NumericExercise(
    q=matrix([1, 0, 2], [0, -1, 1], [2, 1, 0]),
    k=matrix([1, 0.5, 0], [0, 1, -1], [1.5, 0, 0.5]),
    v=matrix([1, 0, 2], [0, 2, -1], [-1, 1, 0]),
    settings=Settings(temperature=2.0),
)
PADDED = NumericExercise(SQUARE.q, SQUARE.k, SQUARE.v, Settings(mask="padding"))


def test_first_lesson_exercise_gives_the_numbers_worked_by_hand():
    to_4_decimals = {"atol": 5e-5, "rtol": 0}
    assert_close(
        PLAIN.true("scaled_scores"), matrix([0.7071, 0.3536], [0, 0.3536]), **to_4_decimals
    )
    assert_close(PLAIN.true("weights"), matrix([0.5875, 0.4125], [0.4125, 0.5875]), **to_4_decimals)
    assert_close(PLAIN.true("context"), matrix([1.5875, 0.4125], [1.4125, 0.5875]), **to_4_decimals)


def test_second_lesson_exercise_is_causal_and_its_scores_are_unmasked():
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


# q, k and v of seed 2024. Existing links and lesson sheets rely on them.
GOLDEN_FIRST = (
    [[2.0, 2.0, 1.0, 2.0], [2.0, 1.0, 0.0, 1.0]],
    [[0.5, 0.0, 0.5, 0.0], [0.5, 1.0, 1.0, 0.0]],
    [[2.0, 2.0], [1.0, 1.0]],
)
GOLDEN_LAST = (
    [[0.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 2.0, 0.0]],
    [[1.5, -0.5, 0.5], [-0.5, 0.0, 0.5], [0.0, -0.5, 1.5]],
    [[2.0, 0.0], [-1.0, 0.0], [0.0, 2.0]],
)


def test_a_seed_and_level_draw_equal_exercises_in_every_process():
    first = numeric_exercises(2024, 1)[2]
    assert (first.q.tolist(), first.k.tolist(), first.v.tolist()) == GOLDEN_FIRST
    last = numeric_exercises(2024, 3)[4]
    assert (last.q.tolist(), last.k.tolist(), last.v.tolist()) == GOLDEN_LAST


def test_sets_share_no_exercise_and_the_first_set_starts_with_the_lesson():
    drawn = [
        (exercise.q.tolist(), exercise.k.tolist(), exercise.v.tolist(), exercise.settings)
        for seed in range(30)
        for level in LEVELS
        for exercise in numeric_exercises(seed, level)
    ]
    assert len({str(exercise) for exercise in drawn}) == 30 * 3 * 5
    assert PLAIN.q.tolist() == [[1, 0], [0, 1]]
    assert (len(CAUSAL.q), CAUSAL.settings.mask) == (3, "causal")


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
    twists = [(exercise.settings.mask, exercise.settings.temperature) for exercise in five]
    plain, causal = ("none", 1), ("causal", 1)
    assert (
        twists
        == {
            1: [plain] * 5,
            2: [plain, causal, plain, causal, causal],
            3: [plain, causal, causal, ("padding", 1), ("none", 2)],
        }[level]
    )


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


@pytest.mark.parametrize("seed", [-1, 1_000_000_000, 1.5, "7", None])
def test_an_invalid_seed_raises_a_headlight_error(seed):
    with pytest.raises(HeadlightError, match="from 0 to 999999999"):
        numeric_exercises(seed, 1)


@pytest.mark.parametrize("level", [0, 4, 2.0, "2", None])
def test_an_invalid_level_raises_a_headlight_error(level):
    with pytest.raises(HeadlightError, match="from 1 to 3"):
        numeric_exercises(0, level)


@given(seed=seeds, level=levels, number=numbers_of_exercise, decimals=st.integers(2, 6))
def test_true_answers_are_right_at_every_number_of_decimals(seed, level, number, decimals):
    exercise = numeric_exercises(seed, level)[number]
    for asked in STEPS:
        checked = check(exercise, right_answers(exercise, decimals), asked, decimals)
        assert {mark for grid in checked.marks.values() for row in grid for mark in row} == {
            "right"
        }
        assert checked.slip is None
        assert checked.complete
        assert checked.right == checked.total == exercise.true(asked).numel()


@given(
    seed=seeds,
    level=levels,
    number=numbers_of_exercise,
    step=st.sampled_from(STEPS),
    cell=st.integers(0, 15),
    off=st.sampled_from([-7, -6, 6, 7]),  # no rounding between the steps gives such an error
)
def test_one_wrong_cell_is_found_and_its_rule_does_not_reveal_the_result(
    seed, level, number, step, cell, off
):
    exercise = numeric_exercises(seed, level)[number]
    answers, true = right_answers(exercise), exercise.true(step)
    row, column = divmod(cell % true.numel(), true.shape[1])
    answers[step][row][column] = f"{true[row, column] + off * 1e-4:.6f}"
    checked = check(exercise, answers, step, 4)
    assert (checked.slip.step, checked.slip.row, checked.slip.column) == (step, row, column)
    assert checked.marks[step][row][column] == "wrong"
    assert checked.right == checked.total - 1
    assert not checked.complete
    assert f"{true[row, column]:.4f}" not in str(checked.slip.rule)


def test_tolerance_is_one_unit_of_the_last_decimal():
    """A true score of 1 in the causal exercise."""
    assert tolerance(2) == pytest.approx(0.01)
    for text, mark in [
        ("1.01", "right"),
        ("0.99", "right"),
        ("1.0102", "wrong"),
        ("0.98", "wrong"),
    ]:
        answers = {"scaled_scores": [[text, "0", "1"], ["0.5", "1", "0"], ["0.5", "1", "2"]]}
        assert check(CAUSAL, answers, "scaled_scores", 2).marks["scaled_scores"][0][0] == mark


def test_the_rule_names_row_column_and_operation():
    def rule(exercise, step, row, column):
        answers = right_answers(exercise)
        answers[step][row][column] = "9"
        return str(check(exercise, answers, step, 4).slip.rule)

    assert (
        rule(CAUSAL, "scaled_scores", 2, 1)
        == "Multiply row 2 of Q by row 1 of K, then divide by 2."
    )
    assert (
        rule(SQUARE, "scaled_scores", 0, 1)
        == "Multiply row 0 of Q by row 1 of K, then divide by 3.464."
    )
    assert rule(CAUSAL, "context", 2, 0) == "Multiply row 2 of the weights by column 0 of V."
    softmax = "Divide e^score of column 1 by the sum of e^score over row 0"
    assert rule(PLAIN, "weights", 0, 1) == f"{softmax}."
    assert rule(CAUSAL, "weights", 0, 1) == f"{softmax}. A masked score is minus infinity."


def test_the_first_wrong_step_is_the_slip_even_if_later_steps_follow_from_it():
    answers = right_answers(PLAIN)
    raw = PLAIN.q @ PLAIN.k.T
    answers["scaled_scores"], answers["weights"] = written(raw), written(raw.softmax(-1))
    checked = check(PLAIN, answers, "weights", 4)
    assert (checked.slip.step, checked.slip.row, checked.slip.column) == ("scaled_scores", 0, 0)
    assert (checked.right, checked.total) == (0, 4)  # counted for the weights, the question
    assert {mark for row in checked.marks["context"] for mark in row} == {"right"}


def scaled(exercise):
    temperature = exercise.settings.temperature
    return exercise.q @ exercise.k.T / math.sqrt(exercise.q.shape[1]) / temperature


def rows_over_sum(grid):
    return grid / grid.sum(-1, keepdim=True)


LOWER = torch.ones(3, 3, dtype=torch.float64).tril()
REAL = matrix([1, 1, 0], [1, 1, 0], [1, 1, 0])
ROOT, OWN_ROOT = "the division by √d_k is missing", "not by its square root"
TEMPERATURE, NOTHING = "the temperature {t:g} is missing", "did not divide the product"
NOT_TRANSPOSED, NO_MASK = "Multiply it by K transposed", "the mask is missing"
AFTER, TURNED = "applied the mask after the softmax", "the mask is inverted"
COLUMNS, POWERS, NO_POWERS = "down the columns", "did not divide e^score", "their sum"
WEIGHTS_TURNED, V_TURNED = "transposed the weights", "transposed V"
SCORES_USED, ROUNDED = "multiplied V by the scores", "Your rounded weights"

raw = SQUARE.q @ SQUARE.k.T
causal_scores = scaled(CAUSAL)
GUESSES = [
    (PLAIN, "scaled_scores", PLAIN.q @ PLAIN.k.T, ROOT),
    (PLAIN, "scaled_scores", PLAIN.q @ PLAIN.k.T / 2, OWN_ROOT),
    (PLAIN, "scaled_scores", PLAIN.q @ PLAIN.k / math.sqrt(2), NOT_TRANSPOSED),
    (SQUARE, "scaled_scores", raw / 2, ROOT),
    (SQUARE, "scaled_scores", raw / 6, OWN_ROOT),
    (SQUARE, "scaled_scores", raw / math.sqrt(3), TEMPERATURE),
    (SQUARE, "scaled_scores", raw, NOTHING),
    (SQUARE, "scaled_scores", SQUARE.q @ SQUARE.k / math.sqrt(12), NOT_TRANSPOSED),
    (PLAIN, "weights", (PLAIN.q @ PLAIN.k.T).softmax(-1), ROOT),
    (SQUARE, "weights", (raw / math.sqrt(3)).softmax(-1), TEMPERATURE),
    (PLAIN, "weights", scaled(PLAIN).softmax(0), COLUMNS),
    (PLAIN, "weights", scaled(PLAIN).exp(), POWERS),
    (PLAIN, "weights", rows_over_sum(scaled(PLAIN)), NO_POWERS),
    (CAUSAL, "weights", causal_scores.softmax(-1), NO_MASK),
    (CAUSAL, "weights", causal_scores.softmax(-1) * LOWER, AFTER),
    (CAUSAL, "weights", rows_over_sum(causal_scores.exp() * LOWER.T), TURNED),
    # The strict upper triangle: its last row sees no key.
    (CAUSAL, "weights", rows_over_sum(causal_scores.exp() * (1 - LOWER)).nan_to_num(0.0), TURNED),
    (CAUSAL, "weights", causal_scores.exp() * LOWER, POWERS),
    (CAUSAL, "weights", rows_over_sum(causal_scores * LOWER), NO_POWERS),
    (
        CAUSAL,
        "weights",
        causal_scores.exp() * LOWER / (causal_scores.exp() * LOWER).sum(0),
        COLUMNS,
    ),
    # As the Calculator shows them: minus the largest visible score of the row.
    (CAUSAL, "weights", (causal_scores - matrix([1], [1], [2])).exp() * LOWER, POWERS),
    (PADDED, "weights", scaled(PADDED).softmax(-1), NO_MASK),
    (PADDED, "weights", scaled(PADDED).softmax(-1) * REAL, AFTER),
    (PADDED, "weights", 1 - REAL, TURNED),
    (PADDED, "weights", scaled(PADDED).softmax(0) * REAL, COLUMNS),
    (PLAIN, "context", scaled(PLAIN) @ PLAIN.v, SCORES_USED),
    (PLAIN, "context", PLAIN.q @ PLAIN.k.T @ PLAIN.v, SCORES_USED),
    (PLAIN, "context", PLAIN.true("weights") @ PLAIN.v.T, V_TURNED),
    (CAUSAL, "context", CAUSAL.true("weights").T @ CAUSAL.v, WEIGHTS_TURNED),
    (CAUSAL, "context", causal_scores.softmax(-1) @ CAUSAL.v, NO_MASK),
    (SQUARE, "context", SQUARE.true("weights").T @ SQUARE.v, WEIGHTS_TURNED),
    (SQUARE, "context", SQUARE.true("weights") @ SQUARE.v.T, V_TURNED),
]


def answers_up_to(exercise, step, grid, decimals=4):
    """Right answers before the step, and the wrong grid at the step."""
    right = right_answers(exercise, decimals)
    earlier = {name: right[name] for name in STEPS[: STEPS.index(step)]}
    return {**earlier, step: written(grid, decimals)}


@pytest.mark.parametrize(("exercise", "step", "wrong", "words"), GUESSES)
def test_a_common_slip_is_recognised(exercise, step, wrong, words):
    slip = check(exercise, answers_up_to(exercise, step, wrong), step, 4).slip
    assert slip.step == step
    assert words in slip.guess.message
    assert str(slip.guess)  # every placeholder has its value
    alone = check(exercise, {step: written(wrong)}, step, 4)  # nothing filled in before
    assert words in alone.slip.guess.message


@pytest.mark.parametrize(("exercise", "step", "wrong", "words"), GUESSES)
def test_a_cause_that_one_cell_contradicts_is_not_named(exercise, step, wrong, words):
    answers = answers_up_to(exercise, step, wrong)
    answers[step][-1][-1] = f"{float(answers[step][-1][-1]) + 0.0137:.4f}"
    assert check(exercise, answers, step, 4).slip.guess is None


def test_empty_cells_do_not_prevent_a_guess():
    answers = {"scaled_scores": [["", "0.5"], ["?", ""]]}
    checked = check(PLAIN, answers, "scaled_scores", 4)
    assert checked.marks["scaled_scores"] == [["empty", "wrong"], ["unreadable", "empty"]]
    assert (checked.slip.row, checked.slip.column) == (0, 1)
    assert ROOT in checked.slip.guess.message


@pytest.mark.parametrize("power", ["11.94", "11.88"])
def test_a_slip_is_recognised_from_rounded_scores_and_from_exact_ones(power):
    """e^2.48 is 11.94, but the score is 2.4749 and e^2.4749 is 11.88."""
    exercise = NumericExercise(
        matrix([1, 0]), matrix([3.5, 0], [0.5, 0]), matrix([1], [0]), Settings()
    )
    answers = {"scaled_scores": [["2.48", "0.35"]], "weights": [[power, "1.42"]]}
    slip = check(exercise, answers, "weights", 2).slip
    assert slip.step == "weights"
    assert POWERS in slip.guess.message


def test_a_context_from_weights_rounded_too_early_names_the_rounding():
    exercise = NumericExercise(PLAIN.q, PLAIN.k, PLAIN.v * 30, Settings())
    answers = {"weights": [["0.59", "0.41"], ["0.41", "0.59"]]}
    answers["context"] = written(matrix([0.59, 0.41], [0.41, 0.59]) @ exercise.v, 2)
    slip = check(exercise, answers, "context", 2).slip
    assert slip.step == "context"
    assert ROUNDED in slip.guess.message


def test_a_cause_within_tolerance_of_the_right_answer_is_not_named():
    """1.59 from the rounded weights would pass for 1.5875: it is no reason for 1.599."""
    answers = {"weights": [["0.59", "0.41"], ["0.41", "0.59"]]}
    answers["context"] = [["1.599", "0.41"], ["1.41", "0.59"]]
    slip = check(PLAIN, answers, "context", 2).slip
    assert (slip.step, slip.row, slip.column, slip.guess) == ("context", 0, 0, None)


# -- rounding between the steps -------------------------------------------------------------------


def rounded(grid, decimals, even):
    """Rounded as on paper: half away from 0, or half to the even digit."""
    mode = ROUND_HALF_EVEN if even else ROUND_HALF_UP
    unit = Decimal(1).scaleb(-decimals)

    def one(x):  # in binary, 0.285 is less than half-way; a person sees half-way
        return float(Decimal(f"{x:.12f}").quantize(unit, mode)) if math.isfinite(x) else x

    return torch.tensor([[one(x) for x in row] for row in grid.tolist()], dtype=torch.float64)


def on_paper(exercise, places, even):
    """Scores, weights and context, with each step rounded to its number of places, or exact."""
    calculation = exercise.calculation()

    def carried(grid, step):
        return grid if places[step] is None else rounded(grid, places[step], even)

    scores = carried(exercise.q @ exercise.k.T / calculation.divisor, "scores")
    seen = scores if calculation.allowed is None else scores.masked_fill(~calculation.allowed, -9e9)
    powers = carried((seen - seen.amax(-1, keepdim=True)).exp(), "powers")
    weights = carried(powers / powers.sum(-1, keepdim=True), "weights")
    return {"scaled_scores": scores, "weights": weights, "context": weights @ exercise.v}


def units_off(exercise, answers, decimals):
    return max((answers[step] - exercise.true(step)).abs().max() for step in STEPS) * 10**decimals


@given(
    seed=seeds,
    level=levels,
    number=numbers_of_exercise,
    decimals=st.integers(2, 6),
    more=st.fixed_dictionaries(
        dict.fromkeys(("scores", "powers", "weights"), st.sampled_from([0, 1, 2, None]))
    ),
    even=st.booleans(),
    asked=st.sampled_from(STEPS),
)
def test_answers_from_rounded_steps_are_right_whether_or_not_the_steps_are_filled_in(
    seed, level, number, decimals, more, even, asked
):
    exercise = numeric_exercises(seed, level)[number]
    places = {step: None if n is None else decimals + n for step, n in more.items()}
    found = on_paper(exercise, places, even)
    assume(units_off(exercise, found, decimals) <= 4.5)  # powers near 0, rounded, cannot be divided
    answers = {step: written(rounded(found[step], decimals, even), decimals) for step in STEPS}
    for given_in in ({asked: answers[asked]}, answers):
        checked = check(exercise, given_in, asked, decimals)
        assert checked.complete
        assert checked.slip is None


def test_every_chain_of_rounded_steps_is_right_in_whole_sets():
    """Without the check of chains, 20, 42 and 54 % of the exercises of a level fail here."""
    for level in LEVELS:
        for exercise in [e for seed in range(3) for e in numeric_exercises(seed, level)]:
            for decimals in (2, 4):
                for rounded_step in ("scores", "powers", "weights"):
                    places = {
                        "scores": None,
                        "powers": None,
                        "weights": None,
                        rounded_step: decimals,
                    }
                    found = on_paper(exercise, places, even=False)
                    if units_off(exercise, found, decimals) <= 4.5:
                        answers = {"context": written(found["context"], decimals)}
                        assert check(exercise, answers, "context", decimals).complete


def test_the_next_step_is_checked_against_the_numbers_filled_in():
    """0.58 and 0.42 are within one unit of 0.5875 and 0.4125, and 2 * 0.58 + 0.42 is 1.58."""
    answers = {"weights": [["0.58", "0.42"], ["0.41", "0.59"]]}
    answers["context"] = [["1.58", "0.42"], ["1.41", "0.59"]]
    assert check(PLAIN, answers, "context", 2).complete
    wide = NumericExercise(PLAIN.q, PLAIN.k, PLAIN.v * 4, PLAIN.settings)  # exact: 6.35, 1.65
    answers["context"] = [["6.32", "1.68"], ["5.64", "2.36"]]
    assert check(wide, answers, "context", 2).complete
    del answers["weights"]  # without them, 6.32 does not follow from anything
    assert check(wide, answers, "context", 2).marks["context"][0] == ["wrong", "wrong"]


def test_a_number_that_follows_from_a_slip_is_wrong():
    answers = {"weights": [["0.62", "0.38"], ["0.38", "0.62"]]}  # not divided
    answers["context"] = [["1.62", "0.38"], ["1.38", "0.62"]]
    checked = check(PLAIN, answers, "context", 2)
    assert checked.right == 0
    assert checked.slip.step == "weights"


def one_unit_off(true, decimals):
    """Rounded, then moved away by one unit: beyond the tolerance if the rounding changed it."""
    unit = 10.0**-decimals
    near = rounded(true, decimals, even=False)
    return near + torch.where(near >= true, unit, -unit)


def share_refused(step, decimals, before):
    """The share of wrong marks among the cells of 4 sets a level that are one unit too far off."""
    wrong = total = 0
    for exercise in [
        e for seed in range(4) for level in LEVELS for e in numeric_exercises(seed, level)
    ]:
        true = exercise.true(step)
        farther = one_unit_off(true, decimals)
        right = right_answers(exercise, decimals)
        answers = {name: right[name] for name in STEPS[: STEPS.index(step)] if before}
        answers[step] = written(farther, decimals)
        marks = check(exercise, answers, step, decimals).marks[step]
        off = (farther - true).abs() > tolerance(decimals)
        total += int(off.sum())
        wrong += sum(
            mark == "wrong"
            for row, beyond in zip(marks, off.tolist(), strict=True)
            for mark, is_off in zip(row, beyond, strict=True)
            if is_off
        )
    return wrong / total


@pytest.mark.parametrize("decimals", [2, 4, 6])
def test_one_unit_beyond_the_tolerance_is_wrong_unless_rounding_explains_it(decimals):
    """Rounding changes scores and weights little, and a context in proportion to its values."""
    assert share_refused("scaled_scores", decimals, before=False) > 0.96
    assert share_refused("weights", decimals, before=True) > 0.99
    assert share_refused("context", decimals, before=True) > 0.75
    assert share_refused("context", decimals, before=False) > 0.6


# -- answer formats -------------------------------------------------------------------------------


def test_cells_accept_the_calculators_number_formats():
    answers = {"scaled_scores": [["0,7071", " 35.355 % "], ["−0", ""]]}
    checked = check(PLAIN, answers, "scaled_scores", 4)
    assert checked.marks == {"scaled_scores": [["right", "right"], ["right", "empty"]]}
    assert checked.slip is None  # an empty cell is not wrong
    assert (checked.right, checked.total, checked.complete) == (3, 4, False)


def test_a_number_with_three_decimals_may_have_a_decimal_comma():
    checked = check(PLAIN, {"context": [["1,588", "1.588"], ["", ""]]}, "context", 3)
    assert checked.marks["context"][0] == ["right", "wrong"]


@pytest.mark.parametrize("text", ["x", "inf", "-inf", "nan", "1e999", "1_0", "0.7071 0.3536", "-"])
def test_text_without_a_finite_number_is_unreadable_and_not_a_slip(text):
    checked = check(PLAIN, {"scaled_scores": [[text, " "], ["", ""]]}, "scaled_scores", 4)
    assert checked.marks["scaled_scores"] == [["unreadable", "empty"], ["empty", "empty"]]
    assert checked.slip is None
    assert checked.right == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.59", "“0.59” has too few decimals. Write 4."),
        ("0,6", "“0,6” has too few decimals. Write 4."),
        ("abc", "“abc” is not a number. Write a number with 4 decimals."),
    ],
)
def test_a_badly_formatted_cell_gets_the_wanted_format(text, message):
    answers = {"weights": [["0.5875", "0.4125"], ["0.4125", text]]}
    checked = check(PLAIN, answers, "weights", 4)
    assert checked.marks["weights"][1][1] in ("wrong", "unreadable")
    (error,) = checked.format_errors
    assert (error.step, error.row, error.column) == ("weights", 1, 1)
    assert str(error.wanted) == message
    assert checked.slip is None  # only the format is wrong
    assert (checked.right, checked.complete) == (3, False)


def test_only_the_first_format_error_of_each_kind_is_reported():
    answers = {"weights": [["y", "0.41"], ["0.4", "x"]], "context": [["z", "1.4"], ["", ""]]}
    errors = check(PLAIN, answers, "context", 4).format_errors
    cells = [(each.step, each.row, each.column) for each in errors]
    assert cells == [("weights", 0, 0), ("weights", 0, 1)]


@pytest.mark.parametrize("text", ["0.58", "1", "0.59000", "0.7", "5.9e-1"])
def test_a_wrong_number_is_a_slip_in_any_format(text):
    checked = check(PLAIN, {"weights": [[text, ""], ["", ""]]}, "weights", 4)
    assert checked.format_errors == ()
    assert (checked.slip.row, checked.slip.column) == (0, 0)


def test_a_slip_and_a_format_error_are_reported_together():
    answers = {"weights": [["0.59", "0.41"], ["0.41", "0.59"]]}
    answers["context"] = [["1.59", "0.41"], ["1.41", "0.6"]]
    checked = check(PLAIN, answers, "context", 4)
    (error,) = checked.format_errors
    assert (error.step, error.row, error.column) == ("weights", 0, 0)
    answers["context"] = [["1.5900", "0.4100"], ["1.4100", "0.5900"]]
    slip = check(PLAIN, answers, "context", 4).slip
    assert slip.step == "context"
    assert ROUNDED in slip.guess.message


def test_only_the_question_is_counted_even_without_an_answer():
    checked = check(CAUSAL, {"scaled_scores": right_answers(CAUSAL)["scaled_scores"]}, "context", 4)
    assert list(checked.marks) == ["scaled_scores"]
    assert (checked.right, checked.total, checked.complete) == (0, 6, False)


@pytest.mark.parametrize("cells", [[], [["1", "2"]], [["1"], ["2"]], [["1", "2"], ["3"]]])
def test_a_grid_of_another_size_raises_a_headlight_error(cells):
    with pytest.raises(HeadlightError, match="scores needs 2 rows of 2 cells"):
        check(PLAIN, {"scaled_scores": cells}, "scaled_scores", 4)
