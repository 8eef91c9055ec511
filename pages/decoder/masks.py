"""Part Masks: a sentence without a mask and with one, and what the mask does, reaches and costs."""

import streamlit as st

from model import HeadlightError
from pages.decoder.approximations import approximations
from pages.decoder.mask_comparison import before_and_after
from pages.decoder.mask_controls import mask_controls, sentence_form
from pages.decoder.mask_costs import attention_costs
from pages.decoder.mask_depth import distance_by_layer, reach
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.mask_leaks import weight_and_leaks
from pages.decoder.mask_spec import MAX_TOKENS
from pages.decoder.url import MASKS
from web.cache import loaded_models
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.view_state import address
from web.widgets import present
from web.widgets.choices import choose

DRAW = {
    "weight": weight_and_leaks,
    "layers": distance_by_layer,
    "reach": reach,
    "cost": attention_costs,
    "forms": approximations,
}


def masks() -> None:
    """Draw the part from top to bottom."""
    if sentence_form():
        _result()
    address.keep(MASKS)


@queue_fragment("masks")
def _result() -> None:
    mask_controls()
    try:
        experiment = MaskExperiment.from_session()
        _warn_of_limit(experiment)
        before_and_after(experiment)
        views = {
            "weight": _("Weight by target"),
            "layers": _("Layer by layer"),
            "reach": _("Reach by layer"),
            "cost": _("What attention costs"),
            "forms": _("Other forms"),
        }
        model = loaded_models.loaded_model(experiment.model)
        walk = present.Walk(model.n_layers, model.n_heads, "mask_")
        present.caption_line(experiment.model, experiment.text, walk=walk)
        DRAW[choose(_("Below"), views, "below", label_hidden=True)](experiment)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    address.keep(MASKS)


def _warn_of_limit(experiment: MaskExperiment) -> None:
    left_out = experiment.full.capture.left_out[0].split()
    if left_out:
        st.warning(
            _(
                "A mask is shown on at most {most} tokens. The text from “{begin}” is not included."
            ).format(most=MAX_TOKENS, begin=plain(" ".join(left_out[:6])[:100]))
        )
