"""Part Masks: a sentence without a mask and with one, where the weight goes, and what leaks."""

import streamlit as st

from model import HeadlightError
from pages.decoder.mask_comparison import before_and_after
from pages.decoder.mask_controls import mask_controls, sentence_form, warn_of_limit
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.mask_leaks import weight_and_leaks
from pages.decoder.url import Masks
from web.cache import loaded_models
from web.inference.compute_queue_ui import queue_fragment
from web.language import in_words, plain
from web.view_state import address
from web.widgets import present


def masks() -> None:
    """Draw the part from top to bottom."""
    if sentence_form():
        _result()
    address.keep(Masks.fields)


@queue_fragment("masks")
def _result() -> None:
    mask_controls()
    try:
        experiment = MaskExperiment.from_session()
        warn_of_limit(experiment.full)
        before_and_after(experiment)
        model = loaded_models.loaded_model(experiment.model)
        walk = present.Walk(model.n_layers, model.n_heads, "mask_")
        present.caption_line(experiment.model, experiment.text, walk=walk)
        weight_and_leaks(experiment)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    address.keep(Masks.fields)
