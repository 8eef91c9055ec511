"""The Explore page: one sentence, two models, all heads."""

import streamlit as st

from model import LoadedCausal
from pages.explore.details import details
from pages.explore.options import options
from pages.explore.predictions import next_tokens, predictions
from pages.explore.selection import selected
from pages.explore.url import PARAMETERS
from web.cache import loaded_models, uploaded_captures
from web.inference.compute_queue_ui import queue_fragment
from web.subject import Subject
from web.widgets import present
from web.widgets.capture_view import capture_view
from web.widgets.findings import cards, explain_current
from web.widgets.sentence_form import model_form, sides_of
from web.widgets.task_decisions import decision


def main() -> None:
    """Draw the page from top to bottom."""
    models = model_form(PARAMETERS, options, part="explored")
    cards()
    if models is not None:
        explored(*models)


@queue_fragment("explored")
def explored(left_model: str, right_model: str) -> None:
    """Draw everything that depends on the sentence, in one fragment."""
    with st.container(key="explore"):
        with st.container():  # always present, so that later elements keep their position
            subjects = sides_of(left_model, right_model)
        with st.container(key="explained_above"):  # in place of the introduction
            explain_current("explore", PARAMETERS)
        with present.stage("view"):
            capture_view(*subjects, upload=True, selected=[*map(selected, subjects)])
        for subject, column in zip(subjects, st.columns(2), strict=True):
            # Hidden in present mode.
            with column, st.container(key=f"off_stage_says_{subject.side}"):
                _says(subject)
        details(*subjects)


def _says(subject: Subject) -> None:
    """Draw the model's predictions, if there are any."""
    if uploaded_captures.is_file(subject.model):
        return
    model = loaded_models.loaded_model(subject.model)
    if isinstance(model, LoadedCausal):
        next_tokens(subject)
    elif model.task is not None or model.mask_token in subject.capture().tokens:
        predictions(subject)
        decision(subject)


main()
