"""Part Translate: a phrase or a date, translated token by token."""

import streamlit as st

from model import HeadlightError, NotDownloadedError
from model.catalogue import translation_files
from model.catalogue.names import TRANSLATORS
from pages.decoder.decoding_method import decoding_method
from pages.decoder.forced_tokens import set_forced
from pages.decoder.heads import translation_heads
from pages.decoder.request import TranslationRequest
from pages.decoder.step_player import show_translation
from pages.decoder.training import training_button, training_slider
from pages.decoder.translator_notes import (
    describe_external,
    show_scope,
    warn_of_errors,
)
from pages.decoder.url import Translate
from web import settings
from web.cache import loaded_models
from web.language import _, in_words, plain
from web.model_name import model_name
from web.translators import EXTERNAL_DEFAULT, default_text, task_of
from web.view_state import address
from web.widgets.model_picker import offer_download
from web.widgets.share_link import copy_link

MAX_EXAMPLES = 10


def translate() -> None:
    """Draw the part from top to bottom."""
    _form()
    if Translate.text.value.strip():
        _result(TranslationRequest.from_session())
    else:
        st.info(_("Type a text to translate, or choose an example."))
    address.keep(Translate.fields)


def _result(request: TranslationRequest) -> None:
    try:
        translation = request.result()
    except NotDownloadedError as error:
        offer_download("translator", request.model, in_words(error))
        return
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        if request.task is not None:
            show_scope(request.task)
        return
    warn_of_errors(request, translation)
    training_slider(request)
    if request.task is None:
        describe_external(request)
    if translation.ending in ("limit", "full"):
        count = len(translation.tokens)
        stopped = _("The limit of {count} tokens stopped the model before the end.")
        st.warning(stopped.format(count=count))
    if translation.steps:
        show_translation(request, translation)
        st.markdown(f"→ **{plain(translation.text) or '–'}**")
        translation_heads(request, translation)
    show_scope(request.task)


def _form() -> None:
    """Draw the row of inputs: the text, the translator and the decoding method."""
    if Translate.model.value != loaded_models.cache_name(Translate.model.value):
        Translate.model.value = loaded_models.cache_name(Translate.model.value)
    task = task_of(Translate.model.value)
    placeholders = {
        "phrases": _("Type an English phrase"),
        "dates": _("Type a date in words or numbers"),
        None: _("Type a text"),
    }
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        Translate.text.draw(on_change=set_forced, args=(Translate,), placeholder=placeholders[task])
        _model_box(task or Translate.model.value)
        examples = translation_files.translation(task).examples if task else _external_examples()
        menu = f"phrases_of_{task}"
        st.menu_button(_("Examples"), examples, key=menu, on_click=_take_example, args=(menu,))
        decoding_method(Translate)
        if task is not None:  # others have no training history
            training_button()
        copy_link()


def _model_box(shown: str) -> None:
    """Draw the box of translators; a checkpoint counts as the translator it belongs to."""
    names = {"phrases": _("phrases: to French"), "dates": _("dates: to ISO")}
    offered = (*TRANSLATORS, *settings.now().models)
    offered += () if shown in offered else (shown,)
    st.selectbox(
        _("Translator"),
        offered,
        index=offered.index(shown),
        format_func=lambda name: names.get(name) or model_name(name),
        key=f"translator_box_{shown}",
        on_change=_change_model,
        args=(shown,),
        label_visibility="collapsed",
        width=190,
        accept_new_options=settings.now().any_model,
    )


def _external_examples() -> list[str]:
    """Examples for a model that is not ours, each with one of its task prefixes."""
    try:
        prefixes = loaded_models.translator(Translate.model.value).task_prefixes
    except HeadlightError:  # shown below the form
        prefixes = ()
    return [f"{prefix}{EXTERNAL_DEFAULT}" for prefix in prefixes[:MAX_EXAMPLES]] or [
        EXTERNAL_DEFAULT
    ]


def _take_example(menu: str) -> None:
    """Translate the chosen example; a callback, because a drawn box cannot be set."""
    Translate.text.value = st.session_state[menu]
    set_forced(Translate)


def _change_model(before: str) -> None:
    """Switch the translator, and restore the text typed for it; a callback."""
    state = st.session_state
    after = (state[f"translator_box_{before}"] or "").strip() or before
    state[f"text_for_{before}"] = Translate.text.value
    Translate.text.value = state.get(f"text_for_{after}", default_text(after))
    Translate.model.value = after
    set_forced(Translate)
