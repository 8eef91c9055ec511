"""What a model predicts behind its masks: with all heads on, and with some of them off."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from model import LoadedModel
from model.analysis.intervention import Intervention
from pages.shared import loading
from pages.shared.language import _, plain
from pages.shared.model_name import model_name
from pages.shared.recipe import Shown
from pages.shared.tables import cells, share_column

TOP = 10
"""Guesses that are listed of either run."""


def predicted(shown: Shown, intervention: Intervention) -> None:
    """Draw the guesses of both runs beside one another, mask by mask.

    Args:
        shown: The side, unchanged.
        intervention: The heads that are off and the words that are hidden.
    """
    recipe = shown.recipe
    model = loading.loaded_model(recipe.model)
    whole = replace(recipe, change=Intervention(masked=intervention.masked)).outcome()
    if not whole.masks:
        if model.masked_lm is not None:
            st.caption(
                _("Hide a word to see what {model} predicts in its place.").format(
                    model=plain(model_name(model.name))
                )
            )
        return
    if model.masked_lm is None:
        st.caption(
            _(
                "{model} has no masked-language head: it cannot say what is hidden. Its attention "
                "and its hidden states are compared below."
            ).format(model=plain(model_name(model.name)))
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
        hidden = shown.capture.token_ids[position] if ours else None
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
            model=plain(model_name(model.name)), position=position, word=word
        )
    )
    ids = _listed(behind, hidden)
    st.dataframe(
        cells(
            pd.DataFrame(
                {
                    "token": [model.piece(i) for i in ids],
                    **{name: values[ids] for name, values in behind.items()},
                }
            )
        ),
        hide_index=True,
        height="content",
        alt=_("Tokens by probability"),
        column_config={
            "token": _("token"),
            "before": share_column(_("all heads on")),
            "after": share_column(_("heads off")),
        },
    )


def _listed(behind: dict[str, np.ndarray], hidden: int | None) -> list[int]:
    """The best guesses of either run, the first run's first, and the word that is hidden."""
    ids: list[int] = []
    for probabilities in behind.values():
        ids += np.argsort(-probabilities, kind="stable")[:TOP].tolist()
    return list(dict.fromkeys([*ids, *([] if hidden is None else [hidden])]))
