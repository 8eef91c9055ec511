"""Translate: a phrase or a date, written token by token, and what was looked at meanwhile."""

import streamlit as st

from model import HeadlightError, NotDownloadedError
from model.catalogue import translation_files
from model.catalogue.names import TRANSLATORS
from model.catalogue.translation import Translation
from pages.decoder.asked import Asked
from pages.decoder.from_elsewhere import describe, examples
from pages.decoder.how import how
from pages.decoder.learning import fold_button, learning
from pages.decoder.outside import before_writing, how_right, scope
from pages.decoder.stacks import stacks
from pages.decoder.translate_address import TRANSLATE
from pages.decoder.writing import writing
from pages.shared import address, loading, settings
from pages.shared.hand_out import copy_link
from pages.shared.language import _, in_words, plain
from pages.shared.model_name import model_name
from pages.shared.model_picker import offer_download
from pages.shared.translators import ELSEWHERE, base_of, first_text


def translate() -> None:
    """Draw the part from top to bottom."""
    _ask()
    if st.session_state["phrase"].strip():
        _translated(Asked.of_session())
    else:
        st.info(_("Type something to translate above, or take one of the examples."))
    if settings.now().any_model:
        st.caption(
            _(
                "Any T5, BART or Marian can translate here: type its hub id (owner/name) or the "
                "path of a local folder into the box above."
            )
        )
    address.keep(TRANSLATE)


def _translated(asked: Asked) -> None:
    if not before_writing(asked):
        return
    try:
        translation = asked.written()
    except NotDownloadedError as error:
        offer_download("translator", asked.model, in_words(error))
        return
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        if asked.base is not None:
            scope(asked.base)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="told_row"):
        how_right(asked, translation)
        fold_button(asked)
    learning(asked)
    if asked.base is None:
        describe(asked, translation)
    _say_end(translation)
    if translation.steps:
        writing(asked, translation)
        stacks(asked, translation)
    scope(asked.base)


def _ask() -> None:
    """Draw the row that asks for the text, the translator and how it writes."""
    state = st.session_state
    if state["translator"] != loading.one_name(state["translator"]):
        state["translator"] = loading.one_name(state["translator"])
    base = base_of(state["translator"])
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        st.text_input(
            _("Text to translate"),
            key="phrase",
            on_change=_begin_anew,
            persist_state="session",
            label_visibility="collapsed",
            placeholder={
                "phrases": _("Type an English phrase"),
                "dates": _("Type a date, as people write it"),
                None: _("Type a text"),
            }[base],
        )
        _model_box(base or state["translator"])
        offered = translation_files.translation(base).examples if base else _of_elsewhere()
        menu = f"phrases_of_{base}"
        st.menu_button(_("Examples"), offered, key=menu, on_click=_take, args=(menu,))
        how()
        copy_link()


def _model_box(shown: str) -> None:
    """Draw the choice of the translator: a checkpoint is shown as what it is one of."""
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


def _of_elsewhere() -> list[str]:
    try:
        return examples(loading.translator(st.session_state["translator"]))
    except HeadlightError:  # said below
        return [ELSEWHERE]


def _take(menu: str) -> None:
    """A callback: an example was chosen. Once the box is drawn, its text can't be set."""
    st.session_state["phrase"] = st.session_state[menu]
    _begin_anew()


def _begin_anew() -> None:
    """A callback: what was forced in one text means nothing in another."""
    st.session_state["forced"] = []


def _change_model(before: str) -> None:
    """A callback: each translator keeps the text that was typed for it."""
    state = st.session_state
    after = (state[f"translator_box_{before}"] or "").strip() or before
    state[f"text_for_{before}"] = state["phrase"]
    state["phrase"] = state.get(f"text_for_{after}", first_text(after))
    state["translator"] = after
    _begin_anew()


def _say_end(translation: Translation) -> None:
    if translation.ending in ("limit", "full"):
        st.warning(
            _("It did not come to an end: after {count} tokens the limit stopped it.").format(
                count=len(translation.tokens)
            )
        )
