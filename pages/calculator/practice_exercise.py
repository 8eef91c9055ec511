"""One exercise: its task in words, what is given, and the grids to fill in."""

from functools import partial

import streamlit as st

from model.calculator.exercises import Exercise, Step
from model.calculator.practice import Checked, tolerance
from pages.calculator import answers, grids
from pages.calculator.practice_set import step_names
from pages.shared.language import _


def task(exercise: Exercise, asked: Step) -> str:
    """What is to be worked out, and how exactly; Markdown."""
    tasks = {
        "scaled_scores": _("Work out the **scaled scores** QKᵀ / {divisor}, before any mask."),
        "weights": _("Work out the **weights**: the softmax of QKᵀ / {divisor} along each row."),
        "context": _("Work out the **context**: softmax(QKᵀ / {divisor}) times V."),
    }
    settings = exercise.settings
    divisor = f"√{exercise.q.shape[1]}"
    if settings.temperature != 1:
        divisor = f"({divisor} × {settings.temperature:g})"
    near = f"{tolerance(st.session_state['decimals']):.{st.session_state['decimals']}f}"
    masks = {
        "none": "",
        "causal": _(" Causal mask: query i sees the keys 0 to i."),
        "padding": _(" The last key is padding: no query sees it."),
    }
    decimals = _(
        " {decimals} decimals; right is what lies within {near}, and what follows from steps so "
        "rounded."
    ).format(decimals=st.session_state["decimals"], near=near)
    return tasks[asked].format(divisor=divisor) + masks[settings.mask] + decimals


def draw_grids(key: answers.Key, exercise: Exercise, checked: Checked | None) -> None:
    """Draw what is given, and the grids to fill in, marked as far as they were handed in."""
    asked = st.session_state["ask"]
    given = {"Q": exercise.q, "K": exercise.k} | ({"V": exercise.v} if asked == "context" else {})
    found = [
        grids.Grid(name, name, [[f"{x:g}" for x in row] for row in matrix.tolist()])
        for name, matrix in given.items()
    ]
    for step, cells in answers.filled(key, exercise).items():
        title = name = step_names()[step]
        if step != asked:
            title = _("{step} (on the way, if you like)").format(step=name)
        found.append(
            grids.Grid(
                step,
                step,
                cells,
                label=name,
                title=title,
                locked=False,
                marks=answers.marks(key, step, cells, checked),
            )
        )
    grids.draw(
        found,
        key=answers.GRIDS,
        on_edited=partial(answers.keep, key),
        strings={
            "kept": _("Your answers stay in this browser; no link carries them."),
            "clear": _("Clear my answers to this set"),
            "cut": _("Of the {rows} x {columns} cells pasted, {kept} fit here."),
        },
        about=str(key),
        keep=answers.kept(key),
    )
