"""Translate: a phrase or a date, written token by token, and what was looked at meanwhile."""

import streamlit as st

from model import HeadlightError
from model.catalogue import translation_files
from model.catalogue.names import TRANSLATORS
from model.catalogue.translation import Translation
from pages import components
from pages.decoder.asked import Asked
from pages.decoder.how import how
from pages.decoder.learning import fold_button, learning
from pages.decoder.outside import before_writing, how_right, scope
from pages.decoder.stacks import stacks
from pages.decoder.translate_address import TRANSLATE
from pages.decoder.writing import writing
from pages.shared import address
from pages.shared.language import _, in_words, plain
from pages.shared.translators import DEFAULT, base_of


def translate() -> None:
    """Draw the part from top to bottom."""
    _ask()
    if st.session_state["phrase"].strip():
        _translated(Asked.of_session())
    else:
        st.info(_("Type something to translate above, or take one of the examples."))
    address.keep(TRANSLATE)


def _translated(asked: Asked) -> None:
    if not before_writing(asked):
        return
    try:
        translation = asked.written()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        scope(asked.base)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="told_row"):
        how_right(asked, translation)
        fold_button(asked)
    learning(asked)
    _say_end(translation)
    if translation.steps:
        writing(asked, translation)
        stacks(asked, translation)
    scope(asked.base)


def _ask() -> None:
    """Draw the row that asks for the text, the translator and how it writes."""
    base = base_of(st.session_state["translator"])
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        st.text_input(
            _("Text to translate"),
            key="phrase",
            on_change=_begin_anew,
            persist_state="session",
            label_visibility="collapsed",
            placeholder=_("Type an English phrase")
            if base == "phrases"
            else _("Type a date, as people write it"),
        )
        names = {"phrases": _("phrases: to French"), "dates": _("dates: to ISO")}
        st.selectbox(
            _("Translator"),
            TRANSLATORS,
            index=TRANSLATORS.index(base),
            format_func=names.__getitem__,
            key=f"translator_box_{base}",
            on_change=_change_model,
            args=(base,),
            label_visibility="collapsed",
            width=190,
        )
        chosen = st.menu_button(
            _("Examples"), translation_files.translation(base).examples, key=f"phrases_of_{base}"
        )
        if chosen:
            st.session_state["phrase"] = chosen
            _begin_anew()
            st.rerun()
        how()
        components.copy_link({"copy": _("Copy link"), "copied": _("Link copied")})


def _begin_anew() -> None:
    """A callback: what was forced in one text means nothing in another."""
    st.session_state["forced"] = []


def _change_model(before: str) -> None:
    """A callback: each translator keeps the text that was typed for it."""
    after = st.session_state[f"translator_box_{before}"]
    st.session_state[f"text_for_{before}"] = st.session_state["phrase"]
    st.session_state["phrase"] = st.session_state.get(f"text_for_{after}", DEFAULT[after])
    st.session_state["translator"] = after
    _begin_anew()


def _say_end(translation: Translation) -> None:
    if translation.ending in ("limit", "full"):
        st.warning(
            _("It did not come to an end: after {count} tokens the limit stopped it.").format(
                count=len(translation.tokens)
            )
        )
