"""Part Generate: a text or an answer, generated token by token."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError, NotDownloadedError, NotInstalledError, list_models
from model.catalogue.causal import LoadedCausal
from pages.decoder.heads import generation_heads
from pages.decoder.live_text import show_live
from pages.decoder.request import GenerationRequest
from pages.decoder.step_player import show_generation
from pages.decoder.url import DEFAULT_MODEL, PROMPT, Generate
from pages.decoder.writing import decoding_method, set_forced
from web import settings
from web.cache import loaded_models
from web.language import _, in_words, plain, sentences
from web.model_name import model_name, picked_model
from web.view_state import address
from web.widgets.model_picker import describe, described, offer_download

MESSAGE = "What is the capital of France?"
"""First message of a conversation, in place of the prompt."""

EXAMPLES = (
    PROMPT,
    "The cat sat on the mat. The dog sat on the",
    "Once upon a time, there was a little",
    "one two three one two",
    "The capital of France is",
)


def generate() -> None:
    """Draw the part from top to bottom."""
    button = _form()
    model = _load()
    # Once, before the first token: the URL belongs to the text while it grows.
    address.keep(Generate.fields)
    if model is None:
        return
    if Generate.text.value.strip():
        _result(model, button)
    else:
        st.info(_("Type the start of a text, or choose an example."))


def _result(model: LoadedCausal, button: DeltaGenerator) -> None:
    try:
        request = GenerationRequest.from_session(model)
        generation = show_live(request, button)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    with st.container(key="g_result"):
        show_generation(request, generation)
        if Generate.talk.value:
            st.text(generation.text, width="stretch")
        may_be_wrong = _("What the model writes may be wrong.")
        about = sentences(describe(model), may_be_wrong)
        st.caption(f"**{plain(model_name(model.name))}** · {about}")
        generation_heads(request, generation)


def _form() -> DeltaGenerator:
    """Draw the row of inputs; return the place of the button that stops or continues the text."""
    talk = Generate.talk.value
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        label = _("Message to the assistant") if talk else _("Start of the text")
        Generate.text.draw(label, on_change=_start_over, placeholder=label)
        _model_box()
        if not talk:
            st.menu_button(_("Examples"), EXAMPLES, key="g_examples", on_click=_take_example)
        decoding_method(Generate, _start_over, _draw_options)
        button = st.empty()
    if talk:
        hint = _("How the assistant should answer; empty: the model's default")
        Generate.system.draw(hint, on_change=_start_over, placeholder=hint)
    return button


def _draw_options() -> None:
    Generate.tokens.draw(on_change=_forget_stop)
    Generate.talk.draw(on_change=_switch_conversation)


def _model_box() -> None:
    model = Generate.model.value
    names = [info.name for info in list_models() if info.kind == "causal"]
    names += settings.now().models
    Generate.model.draw(
        options=names if model in names else [*names, model],
        format_func=described,
        accept_new_options=settings.now().any_model,
        on_change=_start_over,
    )


def _load() -> LoadedCausal | None:
    """Load the chosen decoder; show why not, and return None, if that fails."""
    name = picked_model(Generate.model.value or "").strip() or DEFAULT_MODEL
    try:
        return loaded_models.decoder(name)
    except NotDownloadedError as error:
        offer_download("g_model", name, in_words(error))
    except NotInstalledError as error:
        st.info(plain(in_words(error)))
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    return None


def _start_over() -> None:
    """Drop forced tokens and the stop position, which belong to one text; a callback."""
    set_forced(Generate)


def _forget_stop() -> None:
    """Apply a new length to this text too; a callback."""
    Generate.until.value = 0


def _take_example() -> None:
    """Continue the chosen example; a callback, because a drawn box cannot be set."""
    Generate.text.value = st.session_state["g_examples"]
    _start_over()


def _switch_conversation() -> None:
    """Exchange the default prompt and the default message; a callback."""
    defaults = {False: PROMPT, True: MESSAGE}
    conversation = Generate.talk.value
    if Generate.text.value == defaults[not conversation]:
        Generate.text.value = defaults[conversation]
    _start_over()
