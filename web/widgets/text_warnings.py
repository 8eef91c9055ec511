"""Notes on texts: longer than those of the training, beyond a limit, or perhaps not English."""

from collections.abc import Iterator

import streamlit as st

from model import model_info
from model.analysis.units import units
from model.capture.stacks import to_keys
from model.catalogue.names import TRAINED, checkpoint_step, is_listed
from model.catalogue.scratch import TRAINED_LENGTH
from web.cache import loaded_models
from web.language import _, plain, sentences
from web.subject import Subject
from web.view_state.parameters import View

FEWEST_WORDS, MANY_CUT = 3, 0.35
"""Words of a sentence, and the share of them in pieces, from which a text may not be English."""


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


def explain_pieces(*models: str) -> None:
    """Explain ## and [UNK] if the models cut many words of the session's sentence."""
    readers = [name for name in models if is_listed(name) and model_info(name).kind == "encoder"]
    if not readers:
        return
    text = st.session_state["text"]
    read = loaded_models.loaded_model(readers[0]).tokenize(text)  # one vocabulary for all
    shown = units(to_keys(text, read, None), merge_words=True, hide_special=True)
    words = [unit for unit in shown if any(map(str.isalnum, unit.unknown or unit.label))]
    cut = sum(len(word.positions) > 1 or bool(word.unknown) for word in words)
    if len(words) < FEWEST_WORDS or cut < MANY_CUT * len(words):
        return
    said = [_("These models read English.")]
    if any(unit.unknown for unit in words):
        said.append(_("**[UNK]** is a word with an unknown character."))
    if any(len(unit.positions) > 1 for unit in words):
        said.append(_("**##** marks a piece that continues a word which is not in the vocabulary."))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(sentences(*said), width="content")
        st.button(_("Use an English example"), on_click=_use_the_example, type="tertiary")


def _use_the_example() -> None:
    """Show the first sentence; a callback."""
    st.session_state["text"], st.session_state["picked"] = View.text.default, []


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
