"""Practice: work it out on paper, fill it in, be told cell by cell how it went."""

from functools import partial
from typing import Any

import streamlit as st

from model.calculator import Settings
from model.calculator.exercises import LEVELS, STEPS, Exercise, Step, exercises
from model.calculator.practice import Checked, tolerance
from pages import components
from pages.calculator import answers, grids
from pages.calculator.address import PARAMETERS
from pages.calculator.cards import draw_steps
from pages.calculator.controls import choose_decimals
from pages.calculator.work import Shown, work_out
from pages.shared import address
from pages.shared.language import _, in_words, ngettext
from viz.cards.steps import Names

MATRIX = {"scores": "scaled", "weights": "weights", "output": "output"}
"""The name that the steps give to what is asked."""


@st.fragment(key="practice")
def draw() -> None:
    """Draw the set, one exercise of it, and what became of the answers."""
    answers.begin()
    _choose_set()
    state = st.session_state
    level, seed, asked = state["level"], state["seed"], state["ask"]
    exercise_set = exercises(seed, level)
    _choose_exercise(len(exercise_set))
    key = (seed, level, state["exercise"])
    exercise = exercise_set[state["exercise"]]
    st.markdown(_task(exercise, asked))
    checked = answers.checked(key, exercise)
    _grids(key, exercise, checked)
    _buttons(key)
    if checked is not None:
        _verdict(checked)
    _score(exercise_set)
    if key in state["revealed"] and state["reveal"]:
        shown = _solution(exercise)
        draw_steps(shown, _names(exercise), key="steps", toggles=False)
    address.keep(PARAMETERS)


# -- the set -------------------------------------------------------------------------------------


def _choose_set() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Level"), LEVELS, key="level", required=True, persist_state="session"
        )
        st.number_input(
            _("Set"),
            min_value=0,
            max_value=9_999,
            key="seed",
            persist_state="session",
            width=130,
            help=_("The same number gives everyone the same exercises; the link carries it."),
        )
        st.segmented_control(
            _("Asked"),
            STEPS,
            format_func=lambda step: _step_name(step),
            key="ask",
            required=True,
            persist_state="session",
        )
        choose_decimals()
        _choose_reveal()


def _choose_reveal() -> None:
    """Whoever made the set decides; whoever got it by a link without reveal is not asked."""
    if st.session_state["reveal"] or st.session_state.get("teacher"):
        st.session_state["teacher"] = True
        st.toggle(
            _("Answers can be revealed"),
            key="reveal",
            persist_state="session",
            help=_("Turn it off and copy the link: a class gets the set without the answers."),
        )


def _choose_exercise(count: int) -> None:
    done = {number for number, (right, total) in answers.scores().items() if right == total}
    st.segmented_control(
        _("Exercise"),
        range(count),
        format_func=lambda i: f"{i + 1} ✓" if i in done else str(i + 1),
        key="exercise",
        required=True,
        persist_state="session",
    )


def _step_name(step: str) -> str:
    return {"scores": _("Scores"), "weights": _("Weights"), "output": _("Output")}[step]


# -- one exercise --------------------------------------------------------------------------------


def _names(exercise: Exercise) -> Names:
    rows = tuple(map(str, range(max(len(exercise.q), len(exercise.k)))))
    return Names(rows[: len(exercise.q)], rows[: len(exercise.k)])


def _task(exercise: Exercise, asked: Step) -> str:
    tasks = {
        "scores": _("Work out the **scaled scores** QKᵀ / {divisor}, before any mask."),
        "weights": _("Work out the **weights**: the softmax of QKᵀ / {divisor} along each row."),
        "output": _("Work out the **output**: softmax(QKᵀ / {divisor}) times V."),
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
    decimals = _(" {decimals} decimals; right is what lies within {near}.").format(
        decimals=st.session_state["decimals"], near=near
    )
    return tasks[asked].format(divisor=divisor) + masks[settings.mask] + decimals


def _grids(key: answers.Key, exercise: Exercise, checked: Checked | None) -> None:
    asked = st.session_state["ask"]
    given = {"Q": exercise.q, "K": exercise.k} | ({"V": exercise.v} if asked == "output" else {})
    found = [
        grids.Grid(name, name, [[f"{x:g}" for x in row] for row in matrix.tolist()])
        for name, matrix in given.items()
    ]
    for step, cells in answers.filled(key, exercise).items():
        title = _step_name(step)
        if step != asked:
            title = _("{step} (on the way, if you like)").format(step=title)
        found.append(
            grids.Grid(
                step,
                MATRIX[step],
                cells,
                label=_step_name(step),
                title=title,
                locked=False,
                marks=answers.marks(key, step, cells, checked),
            )
        )
    grids.draw(found, key=answers.GRIDS, on_edited=partial(answers.keep, key))


def _buttons(key: answers.Key) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Check"), key="check", type="primary", on_click=partial(answers.hand_in, key))
        if st.session_state["reveal"]:
            shown = key in st.session_state["revealed"]
            st.button(
                _("Hide the answer") if shown else _("Reveal the answer"),
                key="show_answer",
                on_click=partial(_reveal, key),
            )
        else:
            st.caption(_("The reveal is turned off for this set."))
        components.copy_link({"copy": _("Copy link"), "copied": _("Link copied")})


def _reveal(key: answers.Key) -> None:
    """Show the answer, or hide it again; a callback."""
    st.session_state["revealed"] ^= {key}


def _verdict(checked: Checked) -> None:
    if checked.complete:
        st.success(_("All {total} cells are right.").format(total=checked.total))
        return
    said = _("{right} of {total} cells are right.").format(right=checked.right, total=checked.total)
    slip = checked.slip
    if slip is None:
        st.info(said)
        return
    where = _("The first wrong step is **{step}**, row {row}, column {column}.").format(
        step=_step_name(slip.step), row=slip.row, column=slip.column
    )
    rule = _("The rule: {rule}").format(rule=in_words(slip.rule))
    guess = f" {in_words(slip.guess)}" if slip.guess else ""
    st.warning(f"{said} {where}{guess} {rule}")


def _score(exercise_set: tuple[Exercise, ...]) -> None:
    """The score of the set, as it is asked now."""
    handed_in = answers.scores().values()
    cells = sum(e.true(st.session_state["ask"]).numel() for e in exercise_set)
    done = sum(right == total for right, total in handed_in)
    st.caption(
        ngettext(
            "**Score: {done} of {count} exercise, {right} of {cells} cells.**",
            "**Score: {done} of {count} exercises, {right} of {cells} cells.**",
            len(exercise_set),
        ).format(
            done=done, count=len(exercise_set), right=sum(r for r, _total in handed_in), cells=cells
        )
    )


def _solution(exercise: Exercise) -> Shown:
    def work(wanted: Settings) -> Any:
        return exercise.calculation()

    return work_out(work, exercise.settings, _names(exercise))
