"""Does it matter? Switch heads off, hide words, and see what moves downstream."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from model import HeadlightError
from model.analysis.intervention import Intervention, cosines
from model.analysis.units import units
from pages.heads import begin
from pages.heads.notebook import change_lines
from pages.heads.predicted import predicted
from pages.heads.selection import named, selected, selected_side
from pages.shared import moved
from pages.shared.choices import choose
from pages.shared.head_picker import head_name
from pages.shared.language import _, in_words, plain
from pages.shared.recipe import Recipe, Shown
from pages.shared.tables import ROW, cells, share_column
from viz import distinct


def change(left_side: Recipe, right_side: Recipe) -> None:
    """Draw what can be changed, and what moved."""
    left, right = left_side.show(), right_side.show()
    begin.with_a_head_off(left, right)
    names = {"left": named(left, right), "right": named(right, left)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose(_("Model"), {side: plain(name) for side, name in names.items()}, "heads_side")
        hows = {"zero": _("Context zeroed"), "uniform": _("Attention made uniform")}
        choose(
            _("Switched off means"),
            hows,
            "off_how",
            help=_(
                "Zeroed: nothing of the head's context reaches the layer's output. Uniform: the "
                "head attends to every token alike. Either way the weights of the model stay."
            ),
        )
    shown = selected_side(left, right)
    _choose_heads(shown)
    _choose_words(shown)
    intervention = _intervention(shown)
    if intervention == Intervention(how=intervention.how):
        st.info(
            _(
                "Nothing is changed yet: choose heads to switch off, or click words to hide them "
                "behind the mask."
            )
        )
        return
    _compare(shown, intervention)


def _compare(shown: Shown, intervention: Intervention) -> None:
    """Draw what a side predicts and attends to before and after."""
    recipe = replace(shown.recipe, change=intervention)
    baseline = replace(shown.recipe, change=intervention.baseline)
    try:
        after = recipe.outcome()
        before = baseline.outcome()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    st.caption(_compared(intervention))
    predicted(shown, intervention)
    if not shown.units:
        st.info(_("Only special tokens are left, and they are hidden."))
        return
    runs = moved.Runs(
        baseline.show(),
        recipe.show(),
        tuple((i, i) for i in range(len(shown.units))),
        shown.labels,
        (_("before"), _("after")),
        (_("more before"), _("more after")),
    )
    with moved.heads(runs, change_lines(recipe, *selected(shown))):
        tokens = [unit.label for unit in units(shown.capture)]
        _turned(distinct(tokens), cosines(before.hidden, after.hidden))


def _compared(intervention: Intervention) -> str:
    """What stands before, and what after."""
    if not intervention.off:
        return _("Before: the sentence as it is. After: with the words hidden; all heads are on.")
    if intervention.masked:
        return _(
            "Before: the same words hidden, all heads on. After: the heads off as well. What moves "
            "is the heads' doing alone."
        )
    return _("Before: all heads on. After: the heads off.")


def _turned(labels: list[str], turned: np.ndarray) -> None:
    """Draw how far each token's last hidden state turned: cosines (T,), 1 where it did not."""
    st.caption(_("Cosine between a token's last hidden states before and after"))
    st.dataframe(
        cells(pd.DataFrame({"token": labels, "cosine": turned})),
        hide_index=True,
        height=min(ROW * (len(labels) + 1), 420),
        alt=_("Tokens and the cosine of their hidden states"),
        column_config={"token": _("token"), "cosine": share_column(_("cosine"))},
    )


def _choose_heads(shown: Shown) -> None:
    capture = shown.capture
    options = [(i, j) for i in range(capture.n_layers) for j in range(capture.n_heads)]
    known = {tuple(head) for head in st.session_state["off"]}
    st.session_state["off"] = [head for head in options if head in known]
    st.multiselect(
        _("Heads that are off"),
        options,
        format_func=lambda head: head_name(*head),
        key="off",
        persist_state="session",
        placeholder=_("none"),
    )


def _choose_words(shown: Shown) -> None:
    labels = shown.labels
    words = [i for i, unit in enumerate(shown.units) if not unit.special]
    st.session_state["masked"] = [i for i in st.session_state["masked"] if i in words]
    st.pills(
        _("Words that are hidden"),
        words,
        format_func=lambda i: plain(labels[i]),
        selection_mode="multi",
        key="masked",
        persist_state="session",
    )


def _intervention(shown: Shown) -> Intervention:
    state = st.session_state
    masked = {position for i in state["masked"] for position in shown.units[i].positions}
    return Intervention(frozenset(state["off"]), state["off_how"], frozenset(masked))
