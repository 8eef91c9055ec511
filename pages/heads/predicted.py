"""Predictions at the masks with all heads on and with some off."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model import LoadedModel
from model.analysis.intervention import Intervention
from web.cache import loaded_models
from web.language import _, plain
from web.model_name import model_name
from web.subject import Subject
from web.widgets.tables import share_table

TOP = 10
"""Predictions listed for each run."""


def draw_predictions(view: Subject, intervention: Intervention) -> None:
    """Draw the predictions of both runs side by side, for each mask."""
    model = loaded_models.loaded_model(view.model)
    whole = replace(view, change=Intervention(masked=intervention.masked)).outcome()
    if not whole.masks:
        if model.masked_lm is not None:
            st.caption(
                _("Hide a word to see what {model} predicts for it.").format(
                    model=plain(model_name(model.name))
                )
            )
        return
    if model.masked_lm is None:
        st.caption(
            _(
                "{model} has no masked-language head, so it cannot predict the hidden "
                "word. Compare its attention and its hidden states."
            ).format(model=plain(model_name(model.name)))
        )
        return
    runs = {_("all heads on"): whole}
    if intervention.off:
        runs[_("heads off")] = replace(view, change=intervention).outcome()
    columns = st.columns(max(len(whole.masks), 2))
    for number, position in enumerate(whole.masks):
        probabilities = {
            name: run.predicted[number] for name, run in runs.items() if run.predicted is not None
        }
        ours = position in intervention.masked  # otherwise the text itself has a mask
        hidden = view.capture().token_ids[position] if ours else None
        with columns[number]:
            _candidates(model, position, probabilities, hidden)


def _candidates(
    model: LoadedModel, position: int, probabilities: dict[str, np.ndarray], hidden: int | None
) -> None:
    """Draw the top predictions of both runs, (V,) each, and the hidden word."""
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
    ids = _listed(probabilities, hidden)
    tokens = {_("token"): [model.piece(i) for i in ids]}
    found = {name: values[ids] for name, values in probabilities.items()}
    share_table({**tokens, **found}, _("Tokens by probability"))


def _listed(probabilities: dict[str, np.ndarray], hidden: int | None) -> list[int]:
    """Return the ids of both runs' top predictions, the first run's first, and the hidden word."""
    ids: list[int] = []
    for values in probabilities.values():
        ids += np.argsort(-values, kind="stable")[:TOP].tolist()
    return list(dict.fromkeys([*ids, *([] if hidden is None else [hidden])]))
