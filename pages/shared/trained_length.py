"""A text longer than those that our encoder learned from."""

import streamlit as st

from model.catalogue.names import TRAINED, checkpoint_step
from model.catalogue.scratch import LONGEST
from pages.shared import loading
from pages.shared.language import _


def beyond_training(*models: str) -> None:
    """Say that heads fade, where a model on screen was trained by us on shorter texts alone.

    Args:
        models: Names of the models that are shown the session's sentence.
    """
    ours = [name for name in models if name == TRAINED or checkpoint_step(name) is not None]
    if not ours:
        return
    text, pair = st.session_state["text"], st.session_state["pair"]
    count = len(loading.loaded_model(ours[0]).tokenize(text, pair).ids)  # as many for all of them
    if count > LONGEST:
        st.caption(
            _(
                ":material/straighten: **Longer than what scratch learned from**: it was trained "
                "on texts of up to {longest} tokens, and this one has {count}. Beyond that its "
                "heads fade: they do less and less of what they do on short ones."
            ).format(longest=LONGEST, count=count)
        )
