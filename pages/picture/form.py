"""Form of the Model page: one model of the whole catalogue, and its text."""

import streamlit as st

from model import HeadlightError, list_models
from model.catalogue.translation import Translation
from pages.picture.url import UNSAID, Reader, Translator, is_translator
from pages.picture.view import PictureView
from web.cache import generated_texts, loaded_models
from web.language import _, in_words, plain
from web.subject import Subject
from web.translators import default_text
from web.view_state.address import Parameters
from web.widgets import sentence_box
from web.widgets.model_picker import box_choice, draw_catalogue_box, load_picked_model


def draw_form(known: Parameters) -> PictureView | None:
    """Draw the form, and load the model; None if there is nothing to show."""
    model = Reader.left.value
    translates = is_translator(model)
    if not translates:
        sentence_box.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        if translates:
            Translator.text.draw(on_change=_forget_tokens)
        else:
            sentence_box.first_box(_forget_tokens)
            sentence_box.second_button()
        names = (info.name for info in list_models())
        draw_catalogue_box(_("Model"), names, model, "pictured_box", _change_model)
    return _translator(model, known) if translates else _reader(known)


def _reader(known: Parameters) -> PictureView | None:
    ready = sentence_box.second_box()
    model = load_picked_model(Reader.left)
    if not ready:
        return None
    second = Reader.pair.value.strip()
    pair = Reader.pair.value if second and model.stack != "decoder" else None
    try:
        parts = loaded_models.parts(model.name)
    except HeadlightError as error:  # a part of the model is unknown
        st.info(plain(in_words(error)))
        return None
    text = Reader.text.value
    return PictureView(Subject("left", model.name, text, pair), parts, known)


def _translator(model: str, known: Parameters) -> PictureView | None:
    text = Translator.text.value
    if not text.strip():
        st.info(_("Type a text to translate."))
        return None
    try:
        translation: Translation = generated_texts.translation(model, text, ())
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None
    st.markdown(f"→ **{plain(translation.text) or '–'}**")
    parts = loaded_models.parts(model)
    return PictureView(Subject("left", model, text), parts, known, translation)


def _change_model(before: str) -> None:
    """Show another model; a translator with its own text. A callback."""
    after = box_choice("pictured_box", before)
    Reader.left.value, Reader.zoom.value = after, "whole"
    if is_translator(after):
        Translator.text.value = default_text(after)
    else:
        st.session_state["left"] = after  # the other pages show it too
    _forget_tokens()


def _forget_tokens() -> None:
    """Select the default tokens, because another text has other tokens. A callback."""
    for field in (Reader.token, Reader.key, Translator.source):
        field.value = UNSAID
    sentence_box.clear_picks()
