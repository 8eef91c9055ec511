"""The Explore page: one sentence, two models, all heads."""

import streamlit as st

from model import LoadedCausal
from pages.explore.all_heads import all_heads
from pages.explore.details import details
from pages.explore.options import options
from pages.explore.predictions import next_tokens, predictions
from pages.explore.start import start
from pages.explore.url import PARAMETERS
from web.cache import loaded_models
from web.inference.compute_queue_ui import queue_fragment
from web.subject import Subject
from web.widgets import present
from web.widgets.chips import show_tokens
from web.widgets.findings import menu
from web.widgets.sentence_form import introduce, model_form, sides_of
from web.widgets.task_decisions import decision


def main() -> None:
    """Draw the page from top to bottom."""
    start()
    models = model_form(PARAMETERS, _row, part="explored")
    if models is not None:
        explored(*models)


@queue_fragment("explored")
def explored(left_model: str, right_model: str) -> None:
    """Draw everything that depends on the sentence, in one fragment."""
    with st.container(key="explore"):
        with st.container():  # always present, so that later elements keep their position
            requests = sides_of(left_model, right_model)
        left, right = (request for request in requests)
        show_tokens(left, right)
        with st.container(key="overviews"):
            for view, column in zip((left, right), st.columns(2), strict=True):
                with column, present.stage(f"heads_{view.side}"):
                    introduce(view)
                    _heads(view)
        details(*requests)


def _heads(view: Subject) -> None:
    """Draw all heads of a side, with the model's predictions beside them, if there are any."""
    model = loaded_models.loaded_model(view.model)
    if isinstance(model, LoadedCausal):
        all_heads(view)
        next_tokens(view)
        return
    if model.task is None and model.mask_token not in view.capture().tokens:
        all_heads(view)
        return
    heads, says = st.columns([5, 3])  # side by side, because vertical space is scarce
    with heads:
        all_heads(view)
    with says, present.off_stage(f"says_{view.side}"):  # tables are not magnified
        predictions(view)
        decision(view)


def _row() -> None:
    menu()
    options()


main()
