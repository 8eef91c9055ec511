"""What Generate asks for: a beginning or a conversation, a decoder, and how it writes."""

import streamlit as st

from model import HeadlightError, NotDownloadedError, list_models
from model.catalogue.causal import LoadedCausal
from model.catalogue.pretrained.smollm2 import NotInstalledError
from pages.decoder.generate_address import (
    DEFAULT_MODEL,
    DEFAULT_PROMPT,
    MOST_TOKENS,
    MOST_TOP_K,
)
from pages.shared import loading, settings
from pages.shared.choices import choose
from pages.shared.hand_out import copy_link
from pages.shared.language import _, in_words, plain
from pages.shared.model_picker import offer_download

EXAMPLES = (
    DEFAULT_PROMPT,
    "The cat sat on the mat. The dog sat on the",
    "Once upon a time, there was a little",
    "one two three one two",
    "The capital of France is",
)

ASKED = "What is the capital of France?"
"""The first message of a conversation, where only the prompt that stands at first was there."""


def ask() -> LoadedCausal | None:
    """Draw the row that asks for all; None, and why is said, if there is no decoder to write."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        st.text_input(
            _("Message") if state["g_talk"] else _("Beginning"),
            key="g_text",
            on_change=begin_anew,
            persist_state="session",
            label_visibility="collapsed",
            placeholder=_("Say something to the assistant")
            if state["g_talk"]
            else _("Type a beginning: the model writes on behind it"),
        )
        _model_box()
        _how()
        st.toggle(
            _("Conversation"),
            key="g_talk",
            on_change=_turn,
            persist_state="session",
            help=_(
                "Put what is typed into the form that the model was tuned on: system, user, "
                "assistant."
            ),
        )
        if not state["g_talk"]:
            st.menu_button(_("Examples"), EXAMPLES, key="g_examples", on_click=_take)
        copy_link()
    if state["g_talk"]:
        st.text_input(
            _("System"),
            key="g_system",
            on_change=begin_anew,
            persist_state="session",
            label_visibility="collapsed",
            placeholder=_("System message: how the assistant should be. Empty: the model's own."),
        )
    return _picked()


def _take() -> None:
    """A callback: an example was chosen. Once the box is drawn, its text can't be set."""
    st.session_state["g_text"] = st.session_state["g_examples"]
    begin_anew()


def begin_anew() -> None:
    """A callback: where one text was forced and stopped means nothing in another."""
    st.session_state["g_forced"] = []
    st.session_state["g_until"] = 0


def _to_the_end() -> None:
    """A callback: whoever says how much is to be written means this text too."""
    st.session_state["g_until"] = 0


def _turn() -> None:
    """A callback: a beginning to be written on is no message, and the other way round."""
    texts = {False: DEFAULT_PROMPT, True: ASKED}
    talk = st.session_state["g_talk"]
    if st.session_state["g_text"] == texts[not talk]:
        st.session_state["g_text"] = texts[talk]
    begin_anew()


def _model_box() -> None:
    wanted = st.session_state["g_model"]
    names = [info.name for info in list_models() if info.kind == "causal"]
    names += settings.now().models
    st.selectbox(
        _("Decoder"),
        names if wanted in names else [*names, wanted],
        key="g_model",
        accept_new_options=settings.now().any_model,
        on_change=begin_anew,
        persist_state="session",
        label_visibility="collapsed",
        width=190,
    )


def _picked() -> LoadedCausal | None:
    """Load what the box says, or say in words what is wrong with it."""
    wanted = (st.session_state["g_model"] or "").strip() or DEFAULT_MODEL
    try:
        model = loading.decoder(wanted)
    except NotDownloadedError as error:
        offer_download("g_model", wanted, in_words(error))
    except NotInstalledError as error:
        st.info(plain(in_words(error)))
        if settings.now().any_model:
            st.caption(_("Or type the folder, or the hub id, of a decoder that this machine has."))
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    else:
        return model
    return None


def _how() -> None:
    """Draw the button behind which one chooses how it writes, and how much."""
    ways = {"greedy": _("Greedy"), "sample": _("Sampling")}
    with st.popover(ways[st.session_state["g_how"]], icon=":material/tune:", key="g_how_popover"):
        way = choose(_("How it writes"), ways, "g_how", on_change=begin_anew)
        if way == "sample":
            _sampling()
        st.number_input(
            _("Tokens to write"),
            1,
            MOST_TOKENS,
            step=1,
            key="g_tokens",
            persist_state="session",
            on_change=_to_the_end,
        )
        st.caption(
            {
                "greedy": _("At every step the most probable token is written."),
                "sample": _("At every step a token is drawn; the seed makes the draw repeatable."),
            }[way]
        )


def _sampling() -> None:
    st.slider(
        _("Temperature"),
        0.1,
        5.0,
        step=0.1,
        key="g_temperature",
        persist_state="session",
        help=_("Scores are divided by it before softmax: below 1 sharper, above 1 flatter."),
        on_change=begin_anew,
    )
    st.number_input(
        _("Top-k: only the k most probable (0: all)"),
        0,
        MOST_TOP_K,
        step=1,
        key="g_top_k",
        persist_state="session",
        on_change=begin_anew,
    )
    st.slider(
        _("Top-p: the fewest that together reach p"),
        0.01,
        1.0,
        step=0.01,
        key="g_top_p",
        persist_state="session",
        on_change=begin_anew,
    )
    st.number_input(
        _("Seed"),
        0,
        10**6,
        step=1,
        key="g_seed",
        persist_state="session",
        width=150,
        on_change=begin_anew,
    )
