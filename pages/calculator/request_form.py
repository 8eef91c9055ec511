"""Form for a model and its text: an encoder with a sentence, or a translator with its input."""

from typing import Any

import streamlit as st

from model import HeadlightError
from model.catalogue.names import TRANSLATORS
from pages.calculator.url import Calculator
from web import settings
from web.language import _, in_words, plain
from web.subject import Subject
from web.translators import DEFAULT, EXTERNAL_DEFAULT, default_text
from web.widgets import sentence_box
from web.widgets.model_picker import draw_and_load_model
from web.widgets.trained_length import beyond_training


def request_form() -> Subject | None:
    """Draw the choice of a stack, a model and a text; None if the input is incomplete."""
    stack = Calculator.stack.draw()
    return _encoder_form() if stack == "encoder" else _translator_form(stack)


def _encoder_form() -> Subject | None:
    ready = sentence_box.draw_form()
    model = draw_and_load_model(Calculator.left)
    if not ready:
        return None
    beyond_training(model.name)
    pair = Calculator.pair.value
    return Subject("right", model.name, Calculator.text.value, pair if pair.strip() else None)


def _translator_form(stack: Any) -> Subject | None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = Calculator.source.draw(on_change=_clear_forced)
        chosen = Calculator.translator.value
        translator = Calculator.translator.draw(
            options=TRANSLATORS if chosen in TRANSLATORS else (*TRANSLATORS, chosen),
            accept_new_options=settings.now().any_model,
            on_change=_on_translator,
        )
    forced = tuple(Calculator.forced.value)
    request = Subject("right", translator, text, stack=stack, forced=forced)
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
    Calculator.forced.value = []


def _on_translator() -> None:
    """Replace the example of another translator; a callback."""
    if Calculator.source.value in (*DEFAULT.values(), EXTERNAL_DEFAULT):
        Calculator.source.value = default_text(Calculator.translator.value)
    _clear_forced()
