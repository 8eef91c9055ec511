"""What to look at: a model that reads and a sentence, or a translator and what it translates."""

import streamlit as st

from model import HeadlightError
from model.catalogue.names import TRANSLATORS
from pages.calculator.address import PARAMETERS
from pages.calculator.asked import Asked
from pages.shared import sentence, settings
from pages.shared.choices import choose
from pages.shared.language import _, in_words, plain
from pages.shared.model_picker import pick_model
from pages.shared.trained_length import beyond_training
from pages.shared.translators import DEFAULT, ELSEWHERE, first_text


def ask(label: str, *stacks: str) -> Asked | None:
    """Draw the choice of a stack, of a model and of its text; None if there is nothing to look at.

    Args:
        label: What is chosen first, read aloud alone.
        stacks: Those that can be chosen, of :data:`pages.calculator.asked.STACKS`.
    """
    names = {
        "encoder": _("A model that reads"),
        "source": _("A translator: its encoder"),
        "decoder": _("A translator: its decoder"),
        "cross": _("A translator: cross-attention"),
    }
    if st.session_state["layer_stack"] not in stacks:  # cross-attention is a part of a layer
        st.session_state["layer_stack"] = "decoder"
    offered = {stack: names[stack] for stack in stacks}
    stack = choose(label, offered, key="layer_stack", label_hidden=True)
    return _ask_encoder() if stack == "encoder" else _ask_translator(stack)


def _ask_encoder() -> Asked | None:
    ready = sentence.ask()
    model = pick_model(PARAMETERS["left"].key, _("Model"))
    if not ready:
        return None
    beyond_training(model.name)
    pair = st.session_state["pair"]
    return Asked(model.name, "encoder", st.session_state["text"], pair if pair.strip() else None)


def _ask_translator(stack: str) -> Asked | None:
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            _("What it reads"), key="layer_source", on_change=_free, persist_state="session"
        )
        chosen = state["layer_translator"]
        st.selectbox(
            _("Translator"),
            TRANSLATORS if chosen in TRANSLATORS else (*TRANSLATORS, chosen),
            key="layer_translator",
            accept_new_options=settings.now().any_model,
            on_change=_change_translator,
            persist_state="session",
            width=190,
        )
    forced = tuple((int(step), str(token)) for step, token in state["layer_forced"])
    asked = Asked(state["layer_translator"], stack, state["layer_source"], forced=forced)
    try:
        translation = asked.translation()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"→ **{plain(translation.text) or '–'}**", width="content")
        if forced:
            st.caption(_("with tokens that stand as the link says"), width="content")
            st.button(_("Let it write freely"), on_click=_free, type="tertiary")
    return asked


def _free() -> None:
    """A callback: what was forced in one text means nothing in another."""
    st.session_state["layer_forced"] = []


def _change_translator() -> None:
    """A callback: another translator's example gives way to its own."""
    state = st.session_state
    if state["layer_source"] in (*DEFAULT.values(), ELSEWHERE):
        state["layer_source"] = first_text(state["layer_translator"])
    _free()
