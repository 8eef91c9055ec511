"""Tokens as they are made, until they all stand or somebody says stop."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.catalogue.causal import Generation, LoadedCausal
from model.transformer.generation import Step
from pages.decoder.generate_asked import Prompt
from pages.shared import loading, reconnect
from pages.shared.language import _, ngettext
from pages.shared.model_picker import describe
from pages.shared.written import Writing

CURSOR = "▌"
HALF = "\N{REPLACEMENT CHARACTER}"
"""What stands in a text for bytes that are not yet a whole character."""


def live(prompt: Prompt) -> Generation:
    """Draw the text, and write what of it is not written yet.

    Whatever is clicked meanwhile breaks this run off between two tokens. What stands is everybody's
    and stays; the next run goes on behind it.

    Raises:
        HeadlightError: If nothing can be written.
    """
    model = loading.decoder(prompt.model)
    with st.container(horizontal=True, vertical_alignment="center", key="g_button_row"):
        # Before the text, which grows: nobody's button runs away.
        st.caption(describe(model), width="content")
        button = st.empty()
    told = st.container(key="g_told").empty()
    if st.session_state.get("g_done") != prompt and len(prompt.writing().made) < prompt.count:
        reconnect.may_act()  # there is nothing yet that would be missing
        button.button(_("Stop writing"), icon=":material/stop:", key="g_stop", on_click=_stop)
        _write(prompt, told)
    st.session_state["g_done"] = prompt
    generation = prompt.written()
    told.text(_told(prompt, generation.text), width="stretch")
    with button.container(width="content"):
        _after(model, generation)
    return generation


def _write(prompt: Prompt, told: DeltaGenerator) -> None:
    writing, count = prompt.writing(), 0
    st.session_state["g_seen"] = 0
    told.text(_told(prompt, CURSOR), width="stretch")
    while count < prompt.count and writing.has(count):
        count = min(len(writing.made), prompt.count)
        st.session_state["g_seen"] = count
        told.text(_told(prompt, _spelled(writing, writing.made[:count])), width="stretch")


def _spelled(writing: Writing, steps: tuple[Step, ...]) -> str:
    ids = [step.token for step in steps if step.token not in writing.model.ends]
    text: str = writing.model.tokenizer.decode(ids, skip_special_tokens=False)
    return text.rstrip(HALF) + CURSOR


def _told(prompt: Prompt, written: str) -> str:
    """What is read: in a conversation the answer alone, which its form would hide."""
    return written if st.session_state["g_talk"] else prompt.text + written


def _after(model: LoadedCausal, generation: Generation) -> None:
    """Say why it ended, or offer to go on."""
    if generation.ending == "end":
        st.caption(_(":material/keyboard_return: it ended the text"), width="content")
        return
    if generation.ending == "full":
        full = _("no more room: it reads {count} tokens").format(count=len(generation.tokens))
        st.caption(full, width="content")
        return
    room = model.predictor.max_len - len(generation.tokens)
    more = min(st.session_state["g_tokens"], room)
    st.button(
        ngettext("Write {count} more", "Write {count} more", more).format(count=more),
        icon=":material/edit:",
        key="g_more",
        on_click=_write_on,
        args=(len(generation.steps) + more,),
    )


def _stop() -> None:
    """A callback: what stands is the text."""
    st.session_state["g_until"] = max(st.session_state["g_seen"], 1)


def _write_on(until: int) -> None:
    """A callback."""
    st.session_state["g_until"] = until
