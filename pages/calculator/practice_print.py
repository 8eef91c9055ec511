"""A set of exercises on paper: the same tasks as on the screen, answers on pages of their own."""

from functools import partial

import streamlit as st

from model.calculator.exercises import STEPS, Exercise
from model.calculator.mask_exercises import MaskExercise
from model.calculator.mistakes import MISTAKES
from pages.calculator.answers import asking_now
from pages.calculator.controls import mistake_names
from pages.calculator.practice_exercise import given_numbers, rounded
from pages.calculator.practice_kinds import AnyExercise, Asking, Key, sizes
from pages.calculator.practice_set import asked_names
from pages.calculator.practice_task import named, step_title, task
from pages.shared.language import _, in_words
from viz.cards.practice_sheet import Printed, Table, practice_sheet
from viz.cards.worksheet import written


def print_buttons(key: Key) -> None:
    """Draw the buttons for the set on paper, with its answers only where they may be revealed."""
    offered = [("print_set", _("Print the set"), False)]
    if st.session_state["reveal"]:
        offered.append(("print_answers", _("With answers"), True))
    for name, label, answers in offered:
        suffix = "_answers" if answers else ""
        st.download_button(
            label,
            data=partial(sheet, key, asking_now(), answers),  # asked for where no session is
            file_name=f"headlight_practice_{key.set_name.replace('.', '_')}{suffix}.html",
            mime="text/html",
            key=name,
            on_click="ignore",
            icon=":material/print:",
        )


def sheet(key: Key, asking: Asking, answers: bool) -> str:
    """The page to print: a set's tasks, and perhaps its answers."""
    values = {"seed": key.seed, "level": key.level, "asked": asked_names()[asking.asked]}
    return practice_sheet(
        [
            _printed(exercise, number, asking, answers)
            for number, exercise in enumerate(key.whole_set(), start=1)
        ],
        title=_("Practice: {asked}").format(**values),
        subtitle=_("Level {level}, set {seed}: the same everywhere.").format(**values),
        answers=answers,
        translate=_,
    )


def _printed(exercise: AnyExercise, number: int, asking: Asking, answers: bool) -> Printed:
    name, story = named(exercise, number)
    asked = asking.asked
    steps = [*sizes(exercise)]
    blanks = [] if asked == "mistake" else steps[: steps.index(asked) + 1]
    titles = {"weights": _("Weights"), "context": _("Context")}
    return Printed(
        title=name,
        story=story,
        task=" ".join([task(exercise, asking).replace("**", ""), *_on_paper(exercise)]),
        given=[
            Table(matrix, cells, titles.get(matrix, ""))
            for matrix, cells in given_numbers(exercise, asking).items()
        ],
        blanks=[
            Table(
                "allowed" if step == "mask" else step,
                [[""] * columns for _row in range(rows)],
                step_title(step, asking),
            )
            for step in blanks
            for rows, columns in [sizes(exercise)[step]]
        ],
        choices=[mistake_names()[each] for each in MISTAKES] if asked == "mistake" else [],
        answers=_answers(exercise, asking) if answers else [],
        said=_said(exercise) if answers else "",
    )


def _on_paper(exercise: AnyExercise) -> list[str]:
    """What a pencil is to write where a screen is clicked."""
    return [_("Write ✓ there, and ✗ into the others.")] * isinstance(exercise, MaskExercise)


def _answers(exercise: AnyExercise, asking: Asking) -> list[Table]:
    if isinstance(exercise, MaskExercise):
        marks = [[written(cell, 0) for cell in row] for row in exercise.true().tolist()]
        return [Table("allowed", marks)]
    if isinstance(exercise, Exercise):
        return [
            Table(step, rounded(exercise.true(step), asking.decimals), asked_names()[step])
            for step in STEPS[: STEPS.index(asking.asked) + 1]
        ]
    right = exercise.exercise.calculation().steps.weights[0]
    return [Table("weights", rounded(right, asking.decimals), _("The right weights"))]


def _said(exercise: AnyExercise) -> str:
    if isinstance(exercise, MaskExercise | Exercise):
        return ""
    findings = map(in_words, exercise.with_mistake(exercise.made).findings)
    return " ".join([f"{mistake_names()[exercise.made]}.", *findings])
