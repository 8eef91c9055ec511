"""Warnings for long texts: beyond the training texts of our encoder, or a model's limit."""

from collections.abc import Iterator

import streamlit as st

from model.catalogue.names import TRAINED, checkpoint_step
from model.catalogue.scratch import TRAINED_LENGTH
from web.cache import loaded_models
from web.language import _, plain
from web.subject import Subject


def beyond_training(*models: str) -> None:
    """Warn if a shown model was trained on shorter texts than the session's sentence."""
    ours = [name for name in models if name == TRAINED or checkpoint_step(name) is not None]
    if not ours:
        return
    text, pair = st.session_state["text"], st.session_state["pair"]
    count = len(loaded_models.loaded_model(ours[0]).tokenize(text, pair).ids)  # same for all
    if count > TRAINED_LENGTH:
        st.caption(
            _(
                ":material/straighten: **Longer than scratch's training texts**, which "
                "have up to {longest} tokens; this one has {count}. Beyond that, its "
                "heads show their usual patterns less and less."
            ).format(longest=TRAINED_LENGTH, count=count)
        )


def warn_of_left_out(*views: Subject) -> None:
    """Draw a warning with the words beyond a model's limit, if there are any; equal ones once."""
    for text in dict.fromkeys(text for view in views for text in _left_out(view)):
        st.warning(text)


def _left_out(view: Subject) -> Iterator[str]:
    for sentence in view.capture().left_out:
        if sentence.strip():
            words = sentence.split()
            begin = " ".join(words[:12])[:200] + (" …" if len(words) > 12 else "")
            yield _(
                "Too long: {model} is shown on at most {limit} tokens. Left out: {begin}"
            ).format(
                model=plain(view.name),
                limit=loaded_models.loaded_model(view.model).most_tokens,
                begin=plain(begin),
            )
