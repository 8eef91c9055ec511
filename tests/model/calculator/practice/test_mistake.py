"""Mistake exercises: each has exactly one answer, and its numbers identify it."""

from collections import Counter
from itertools import combinations

import pytest

from model.calculator import MISTAKES
from model.calculator.mistakes import mistake
from model.calculator.practice.exercise import LEVELS, Assignment
from model.calculator.practice.mistake import mistake_exercises
from model.calculator.practice.numeric import numeric_exercises


@pytest.mark.parametrize("level", LEVELS)
def test_mistakes_and_right_weights_differ_at_two_decimals(level):
    for seed in range(6):
        for exercise in mistake_exercises(seed, level):
            calculation = exercise.problem.calculation()
            weights = [mistake(name, calculation).weights for name in MISTAKES]
            weights.append(calculation.steps.weights)
            shown = [w.nan_to_num(-1.0).round(decimals=2) for w in weights]
            assert not any(a.equal(b) for a, b in combinations(shown, 2))
            assert all(exercise.with_mistake(name).assumed is None for name in MISTAKES)


def test_a_set_repeats_a_mistake_at_most_twice_and_all_mistakes_occur():
    sets = [[e.made for e in mistake_exercises(seed, 1)] for seed in range(8)]
    assert all(max(Counter(made).values()) <= 2 for made in sets)
    assert {name for made in sets for name in made} == set(MISTAKES)
    assert sets[0] == [e.made for e in mistake_exercises(0, 1)]


def test_only_the_mistake_that_was_made_is_right():
    exercise = mistake_exercises(3, 2)[0]
    assignment = Assignment("mistake", 4)
    found = {name: exercise.check({"mistake": [[name]]}, assignment) for name in (*MISTAKES, "")}
    assert [name for name, each in found.items() if each.complete] == [exercise.made]
    assert found[""].marks == {"mistake": [["empty"]]}


def test_lesson_exercises_have_their_own_titles_and_others_name_their_settings():
    lesson = [str(e.title(i + 1)) for i, e in enumerate(numeric_exercises(1, 1))]
    assert lesson[:3] == [
        "Exercise 1: two tokens",
        "Exercise 2: causal masking",
        "Exercise 3: 2 tokens",
    ]
    texts = [(str(e.title(1)), str(e.story()[0])) for e in numeric_exercises(1, 3)]
    assert ["causal" in name for name, _ in texts] == [False, True, True, False, False]
    assert "padding" in texts[3][0] and "temperature 2" in texts[4][1]
