"""Warning for texts longer than the training texts of our encoder."""

import streamlit as st

from model.catalogue.names import TRAINED, checkpoint_step
from model.catalogue.scratch import TRAINED_LENGTH
from web.cache import loaded_models
from web.language import _


def beyond_training(*models: str) -> None:
    """Warn if a shown model was trained on shorter texts than the session's sentence."""
    ours = [name for name in models if name == TRAINED or checkpoint_step(name) is not None]
    if not ours:
        return
    text, pair = st.session_state["text"], st.session_state["pair"]
    count = len(
        loaded_models.loaded_model(ours[0]).tokenize(text, pair).ids
    )  # the same number for all of them
    if count > TRAINED_LENGTH:
        st.caption(
            _(
                ":material/straighten: **Longer than scratch's training texts**, which "
                "have up to {longest} tokens; this one has {count}. Beyond that, its "
                "heads show their usual patterns less and less."
            ).format(longest=TRAINED_LENGTH, count=count)
        )
