"""Which set of exercises, how hard, what of it is asked, and which exercise."""

import streamlit as st

from model.calculator.exercises import LEVELS, Asked
from pages.calculator import answers
from pages.calculator.controls import choose_decimals
from pages.shared.choices import choose
from pages.shared.language import _


def asked_names() -> dict[Asked, str]:
    """What can be asked is called, the steps of a calculation in their order first."""
    return {
        "scaled_scores": _("Scaled scores"),
        "weights": _("Weights"),
        "context": _("Context"),
        "mask": _("Draw the mask"),
        "mistake": _("Which mistake?"),
    }


def choose_set() -> None:
    """Draw the choice of a set, and of what is asked of it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose(_("Level"), LEVELS, key="level")
        st.number_input(
            _("Set"),
            min_value=0,
            max_value=9_999,
            key="seed",
            persist_state="session",
            width=130,
            help=_("The same number gives everyone the same exercises; the link carries it."),
        )
        choose(_("Asked"), asked_names(), key="ask")
        if st.session_state["ask"] != "mask":
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


def choose_exercise(count: int) -> None:
    """Draw the choice of one exercise; those that are done have a mark."""
    done = {number for number, (right, total) in answers.results().items() if right == total}
    names = {i: f"{i + 1} ✓" if i in done else str(i + 1) for i in range(count)}
    choose(_("Exercise"), names, key="exercise")
