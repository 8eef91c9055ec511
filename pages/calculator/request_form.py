"""Form for a model and its text: an encoder with a sentence, or a translator with its input."""

import streamlit as st

from model import HeadlightError
from model.catalogue.names import TRANSLATORS
from pages.calculator.url import PARAMETERS
from web import settings
from web.language import _, in_words, plain
from web.subject import Subject
from web.translators import DEFAULT, EXTERNAL_DEFAULT, default_text
from web.widgets import sentence_box
from web.widgets.choices import choose
from web.widgets.model_picker import draw_and_load_model
from web.widgets.trained_length import beyond_training


def request_form() -> Subject | None:
    """Draw the choice of a stack, a model and a text; None if the input is incomplete."""
    names = {
        "encoder": _("A model that reads"),
        "source": _("A translator: its encoder"),
        "decoder": _("A translator: its decoder"),
        "cross": _("A translator: cross-attention"),
    }
    stack = choose(_("Whose head"), names, key="layer_stack", label_hidden=True)
    return _encoder_form() if stack == "encoder" else _translator_form(stack)


def _encoder_form() -> Subject | None:
    ready = sentence_box.draw_form()
    model = draw_and_load_model(PARAMETERS["left"].key, _("Model"))
    if not ready:
        return None
    beyond_training(model.name)
    pair = st.session_state["pair"]
    return Subject("right", model.name, st.session_state["text"], pair if pair.strip() else None)


def _translator_form(stack: str) -> Subject | None:
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            _("Text"), key="layer_source", on_change=_clear_forced, persist_state="session"
        )
        chosen = state["layer_translator"]
        st.selectbox(
            _("Translator"),
            TRANSLATORS if chosen in TRANSLATORS else (*TRANSLATORS, chosen),
            key="layer_translator",
            accept_new_options=settings.now().any_model,
            on_change=_on_translator,
            persist_state="session",
            width=190,
        )
    forced = tuple((int(step), str(token)) for step, token in state["layer_forced"])
    request = Subject(
        "right", state["layer_translator"], state["layer_source"], stack=stack, forced=forced
    )
    try:
        translation = request.translation()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"→ **{plain(translation.text) or '–'}**", width="content")
        if forced:
            st.caption(_("The link sets some of the tokens."), width="content")
            st.button(_("Let it write freely"), on_click=_clear_forced, type="tertiary")
    return request


def _clear_forced() -> None:
    """Remove the forced tokens, which belong to one text; a callback."""
    st.session_state["layer_forced"] = []


def _on_translator() -> None:
    """Replace the example of another translator; a callback."""
    state = st.session_state
    if state["layer_source"] in (*DEFAULT.values(), EXTERNAL_DEFAULT):
        state["layer_source"] = default_text(state["layer_translator"])
    _clear_forced()
