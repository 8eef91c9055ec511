"""Does it matter? Switch heads off, hide words, and see what moves downstream."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from model import HeadlightError, LoadedModel
from model.analysis.intervention import Intervention, Outcome, cosines
from pages.heads.address import HOWS
from pages.heads.panel import named, selected
from pages.shared import cache, moved
from pages.shared.head_picker import head_name
from pages.shared.language import _, in_words, plain
from pages.shared.notebook import change_lines
from pages.shared.recipe import SIDES, Recipe, Shown
from viz import distinct

TOP = 10


def change(left_side: Recipe, right_side: Recipe) -> None:
    """Draw what can be changed, and what moved."""
    left, right = left_side.show(), right_side.show()
    names = {"left": named(left, right), "right": named(right, left)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Model"),
            SIDES,
            format_func=lambda side: plain(names[side]),
            key="heads_side",
            required=True,
            persist_state="session",
        )
        hows = {"zero": _("Context zeroed"), "uniform": _("Attention made uniform")}
        st.segmented_control(
            _("Switched off means"),
            HOWS,
            format_func=hows.__getitem__,
            key="off_how",
            required=True,
            persist_state="session",
            help=_(
                "Zeroed: nothing of the head's context reaches the layer's output. Uniform: the "
                "head attends to every token alike. Either way the weights of the model stay."
            ),
        )
    shown = left if st.session_state["heads_side"] == "left" else right
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
    recipe = replace(shown.recipe, change=intervention)
    try:
        after = recipe.outcome()
        before = shown.recipe.outcome()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    _predictions(shown.recipe, intervention, before)
    if not shown.units:
        st.info(_("Only special tokens are left, and they are hidden."))
        return
    runs = moved.Runs(
        shown,
        recipe.show(),
        tuple((i, i) for i in range(len(shown.units))),
        shown.labels,
        (_("before"), _("after")),
    )
    with moved.heads(runs, change_lines(recipe, *selected(shown))):
        moved.tokens(distinct(shown.capture.tokens), cosines(before.hidden, after.hidden))


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


# -- what is predicted behind the masks ----------------------------------------------------------


def _predictions(recipe: Recipe, intervention: Intervention, untouched: Outcome) -> None:
    """Beside one another: with all heads on, and with some of them off."""
    model = cache.loaded_model(recipe.model)
    whole = replace(recipe, change=replace(intervention, off=frozenset())).outcome()
    if not whole.masks:
        if model.masked_lm is not None:
            st.caption(
                _("Hide a word to see what {model} predicts in its place.").format(
                    model=plain(model.name)
                )
            )
        return
    if model.masked_lm is None:
        st.caption(
            _(
                "{model} has no masked-language head: it cannot say what is hidden. Its attention "
                "and its hidden states are compared below."
            ).format(model=plain(model.name))
        )
        return
    changed = replace(recipe, change=intervention).outcome()
    columns = st.columns(max(len(whole.masks), 2))
    for number, position in enumerate(whole.masks):
        behind = {
            name: outcome.predicted[number]
            for name, outcome in (("before", whole), ("after", changed))
            if outcome.predicted is not None and (name == "before" or intervention.off)
        }
        ours = position in intervention.masked  # else the text itself has a mask there
        hidden = untouched.capture.token_ids[position] if ours else None
        with columns[number]:
            _candidates(model, position, behind, hidden)


def _candidates(
    model: LoadedModel, position: int, behind: dict[str, np.ndarray], hidden: int | None
) -> None:
    """Draw the best guesses of either run, and the word that is hidden.

    Args:
        model: Whose guesses.
        position: Of the mask.
        behind: Probabilities (V,) by run.
        hidden: The id of the word, where it is known.
    """
    word = (
        ""
        if hidden is None
        else _(" (the word was {word})").format(word=plain(model.piece(hidden)))
    )
    st.caption(
        _("What {model} predicts at token {position}{word}").format(
            model=plain(model.name), position=position, word=word
        )
    )
    ids: list[int] = []
    for probabilities in behind.values():
        best = np.argsort(-probabilities, kind="stable")[:TOP].tolist()
        ids += [i for i in best if i not in ids]
    if hidden is not None and hidden not in ids:
        ids.append(hidden)
    share = st.column_config.ProgressColumn
    names = {"before": _("all heads on"), "after": _("heads off")}
    st.dataframe(
        pd.DataFrame(
            {
                "token": [model.piece(i) for i in ids],
                **{name: values[ids].astype(float) for name, values in behind.items()},
            }
        ),
        hide_index=True,
        height="content",
        alt=_("Tokens by probability"),
        column_config={
            "token": _("token"),
            **{
                name: share(label, format="%.4f", min_value=0.0, max_value=1.0)
                for name, label in names.items()
            },
        },
    )
