"""Decisions of a fine-tuned model about the sentence."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from model import AttentionCapture
from model.analysis.units import units
from model.catalogue.tasks import Decision
from web.cache import captures, loaded_models
from web.language import _, plain
from web.widgets.model_name import model_name
from web.widgets.sides import SideRequest
from web.widgets.tables import cells, share_column


def decision(request: SideRequest) -> None:
    """Draw the decision of the model's task head, if it has one."""
    model = loaded_models.loaded_model(request.model)
    if model.task is None:
        return
    found = captures.task_decision(request.model, request.text, request.text_pair)
    st.caption(_("What {model} decides").format(model=plain(model_name(model.name))))
    if found.kind == "token":
        _tokens(request, found)
    elif found.kind == "answer":
        _answer(request, found)
    else:
        _labels(found)


def _labels(found: Decision) -> None:
    order = np.argsort(-found.probabilities, kind="stable")
    values = found.probabilities[order]
    raw = found.kind == "regression"
    column = (
        st.column_config.NumberColumn(_("value"), format="%.4f")
        if raw
        else share_column(_("probability"))
    )
    _table(
        pd.DataFrame({"label": [found.labels[i] for i in order], "value": values}),
        alt=_("Labels by probability"),
        column_config={"label": _("label"), "value": column},
    )


def _tokens(request: SideRequest, found: Decision) -> None:
    capture = request.view().capture
    labels = _token_texts(capture)
    words = [i for i in range(len(capture.tokens)) if not capture.special[i]]
    best = found.probabilities.argmax(axis=1)  # (T, C) -> (T,)
    _table(
        pd.DataFrame(
            {
                "token": [labels[i] for i in words],
                "label": [found.labels[best[i]] for i in words],
                "probability": [found.probabilities[i, best[i]] for i in words],
            }
        ),
        height=250,
        alt=_("The most probable label of each token"),
        column_config={
            "token": _("token"),
            "label": _("label"),
            "probability": share_column(_("probability")),
        },
    )


def _answer(request: SideRequest, found: Decision) -> None:
    if found.answer is None:
        st.info(_("There is no second text to find an answer in."))
        return
    st.markdown(
        _("**{answer}** (probability {probability:.4f})").format(
            answer=plain(found.answer.text), probability=found.answer.probability
        )
    )
    capture = request.view().capture
    labels = _token_texts(capture)
    order = np.argsort(-found.probabilities.max(axis=1), kind="stable")[:8]
    _table(
        pd.DataFrame(
            {
                "token": [labels[i] for i in order],
                "start": found.probabilities[order, 0],
                "end": found.probabilities[order, 1],
            }
        ),
        alt=_("Where an answer starts and ends"),
        column_config={
            "token": _("token"),
            "start": share_column(_("starts here")),
            "end": share_column(_("ends here")),
        },
    )
    if request.text_pair is None:
        st.caption(_("Type a question in the first box and the text to search in the second."))


def _table(rows: pd.DataFrame, alt: str, height: Any = "content", **how: Any) -> None:
    st.dataframe(cells(rows), hide_index=True, height=height, alt=alt, **how)


def _token_texts(capture: AttentionCapture) -> list[str]:
    """Return each token's text; for unknown tokens also the typed text."""
    return [unit.label for unit in units(capture)]
