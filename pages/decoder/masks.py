"""Part Masks: a head without a mask and with one, or beside an efficient approximation."""

from typing import Any

import streamlit as st

from model import HeadlightError
from pages.decoder.efficient import SIZES, approximation
from pages.decoder.mask_comparison import before_and_after
from pages.decoder.mask_experiment import MaskExperiment, run_sentence
from pages.decoder.mask_spec import MAX_TOKENS
from pages.decoder.url import Masks
from web.cache import loaded_models
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.view_state import address
from web.view_state.field import Field
from web.widgets import present, sentence_box
from web.widgets.head_picker import head_boxes
from web.widgets.model_picker import described


@queue_fragment("masks")
def masks() -> None:
    """Draw the part from top to bottom."""
    sentence_box.cut_long_texts()
    with st.container(key="masks"):
        with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
            sentence_box.first_box()
            _controls()
        if sentence_box.has_text():
            try:
                _result()
            except HeadlightError as error:
                st.error(plain(in_words(error)))
        else:
            st.info(_("Type a sentence"))
    address.keep(Masks.fields)


def _controls() -> None:
    model = loaded_models.loaded_model(Masks.encoder.draw(format_func=described))
    Masks.mask.draw()
    if Masks.method.when():
        Masks.method.draw()
    look = {"label_visibility": "collapsed"}
    head_boxes(model.n_layers, model.n_heads, Masks.layer, Masks.head, **look)
    sizes: list[Field[Any]] = [
        *SIZES.values(),
        Masks.global_,
        Masks.seed,
        Masks.pads,
        Masks.inverted,
    ]
    shown = [field for field in dict.fromkeys(sizes) if field.when()]
    if shown:
        with st.popover(_("Options"), icon=":material/tune:", key="mask_options"):
            for field in shown:
                field.draw()


def _result() -> None:
    model = loaded_models.loaded_model(Masks.encoder.value)
    if Masks.mask.value == "efficient":
        run = run_sentence(model.name, Masks.text.value)
        approximation(run)
    else:
        experiment = MaskExperiment()
        run = experiment.full
        before_and_after(experiment)
    left_out = run.capture.left_out[0].split()
    if left_out:
        st.warning(
            _(
                "The sentence is cut after {most} tokens. The text from “{begin}” is not included."
            ).format(most=MAX_TOKENS, begin=plain(" ".join(left_out[:6])[:100]))
        )
    walk = present.Walk(model.n_layers, model.n_heads, "mask_")
    present.caption_line(model.name, Masks.text.value, walk=walk)
