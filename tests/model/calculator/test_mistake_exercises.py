"""Which mistake is this: every exercise has one answer, and its numbers tell which."""

from collections import Counter
from itertools import combinations

import pytest

from model.calculator import MISTAKES
from model.calculator.exercises import LEVELS, exercises
from model.calculator.mistake_exercises import check_mistake, mistake_exercises
from model.calculator.mistakes import mistake
from model.calculator.stories import story, title


@pytest.mark.parametrize("level", LEVELS)
def test_at_two_decimals_no_two_mistakes_look_alike_nor_like_the_right_weights(level):
    for seed in range(6):
        for exercise in mistake_exercises(seed, level):
            calculation = exercise.exercise.calculation()
            weights = [mistake(name, calculation).weights for name in MISTAKES]
            weights.append(calculation.steps.weights)
            shown = [w.nan_to_num(-1.0).round(decimals=2) for w in weights]
            assert not any(a.equal(b) for a, b in combinations(shown, 2))
            assert all(exercise.with_mistake(name).assumed is None for name in MISTAKES)


def test_no_mistake_is_made_more_than_twice_and_each_is_made_somewhere():
    sets = [[e.made for e in mistake_exercises(seed, 1)] for seed in range(8)]
    assert all(max(Counter(made).values()) <= 2 for made in sets)
    assert {name for made in sets for name in made} == set(MISTAKES)
    assert sets[0] == [e.made for e in mistake_exercises(0, 1)]


def test_the_mistake_that_was_made_is_right_and_no_other():
    exercise = mistake_exercises(3, 2)[0]
    found = {name: check_mistake(exercise, name) for name in (*MISTAKES, "")}
    assert [name for name, each in found.items() if each.complete] == [exercise.made]
    assert found[""].marks == {"mistake": [["empty"]]}


def test_the_lessons_exercises_keep_their_names_and_the_others_say_what_they_are():
    lesson = [str(title(e, i + 1)) for i, e in enumerate(exercises(1, 1))]
    assert lesson[:3] == [
        "Exercise 1: two tokens",
        "Exercise 2: causal masking",
        "Exercise 3: 2 tokens",
    ]
    told = [(str(title(e, 1)), str(story(e))) for e in exercises(1, 3)]
    assert ["causal" in name for name, _ in told] == [False, True, True, False, False]
    assert "padding" in told[3][0] and "temperature 2" in told[4][1]
