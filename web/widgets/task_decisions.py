"""Decisions of a fine-tuned model about the sentence."""

import numpy as np
import streamlit as st

from model.analysis.units import units
from model.catalogue.tasks import Decision
from viz.style.labels import percent
from web.cache import captures, loaded_models
from web.language import _, plain
from web.model_name import model_name
from web.subject import Subject
from web.widgets.tables import share_table, table


def decision(request: Subject) -> None:
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
    names, values = [found.labels[i] for i in order], found.probabilities[order]
    if found.kind == "regression":  # values, which can be negative
        columns = {_("label"): names, _("value"): values}
        table(columns, _("Labels by probability"), {_("value"): "{:.4f}"})
    else:
        share_table({_("label"): names, _("probability"): values}, _("Labels by probability"))


def _tokens(request: Subject, found: Decision) -> None:
    capture = request.capture()
    labels = [unit.label for unit in units(capture)]
    words = [i for i in range(len(capture.tokens)) if not capture.special[i]]
    best = found.probabilities.argmax(axis=1)  # (T, C) -> (T,)
    columns = {
        _("token"): [labels[i] for i in words],
        _("label"): [found.labels[best[i]] for i in words],
        _("probability"): [found.probabilities[i, best[i]] for i in words],
    }
    share_table(columns, _("The most probable label of each token"), height=250)


def _answer(request: Subject, found: Decision) -> None:
    if found.answer is None:
        st.info(_("There is no second text to find an answer in."))
        return
    st.markdown(
        _("**{answer}** (probability {probability})").format(
            answer=plain(found.answer.text), probability=percent(found.answer.probability)
        )
    )
    labels = [unit.label for unit in units(request.capture())]
    order = np.argsort(-found.probabilities.max(axis=1), kind="stable")[:8]
    columns = {
        _("token"): [labels[i] for i in order],
        _("starts here"): found.probabilities[order, 0],
        _("ends here"): found.probabilities[order, 1],
    }
    share_table(columns, _("Where an answer starts and ends"))
    if request.text_pair is None:
        st.caption(_("Type a question in the first box and the text to search in the second."))
