"""How it went: of one exercise as it was handed in, and of the whole set."""

from math import prod

import streamlit as st

from model.calculator.practice import Checked
from model.calculator.slips import Slip
from model.calculator.unasked import Unasked
from pages.calculator import answers
from pages.calculator.practice_kinds import AnyExercise, sizes
from pages.calculator.practice_set import asked_names
from pages.shared.language import _, in_words, ngettext, plain


def draw_verdict(checked: Checked) -> None:
    """Say how many cells are right, and of the first slip where it is and the rule it breaks."""
    if checked.complete:
        st.success(_("All {total} cells are right.").format(total=checked.total))
        return
    said = _("{right} of {total} cells are right.").format(right=checked.right, total=checked.total)
    if checked.slip is not None:
        said = " ".join([said, *_slip(checked.slip)])
    say = st.info if checked.slip is None else st.warning
    say("\n\n".join([said, *map(_unasked, checked.unasked)]))


def _unasked(cell: Unasked) -> str:
    """Where something is written otherwise than asked, and what is asked; Markdown."""
    wanted = plain(in_words(cell.wanted))  # it quotes what was typed
    return _("**{step}**, row {row}, column {column}: {wanted}").format(
        step=asked_names()[cell.step], row=cell.row, column=cell.column, wanted=wanted
    )


def _slip(slip: Slip) -> list[str]:
    """Where it is, what was probably done, and the rule it breaks; Markdown."""
    where = _("The first wrong step is **{step}**, row {row}, column {column}.")
    if slip.step == "mask":
        where = _("The first wrong cell is that of **query {row}** and **key {column}**.")
    where = where.format(step=asked_names()[slip.step], row=slip.row, column=slip.column)
    guess = [in_words(slip.guess)] if slip.guess else []
    return [where, *guess, _("The rule: {rule}").format(rule=in_words(slip.rule))]


def draw_score(exercise_set: tuple[AnyExercise, ...]) -> None:
    """The score of the set, as it is asked now."""
    handed_in = answers.results().values()
    cells = sum(prod(sizes(each)[st.session_state["ask"]]) for each in exercise_set)
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
