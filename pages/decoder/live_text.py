"""Text that grows while its tokens are generated, until it is complete or stopped."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.catalogue.causal import Generation, LoadedCausal
from model.transformer.generation import GeneratedId
from pages.decoder.request import GenerationRequest
from pages.decoder.url import Generate
from web.cache import loaded_models
from web.cache.generation_stream import GenerationStream
from web.language import _, ngettext
from web.view_state import reconnect

CURSOR = "▌"
INCOMPLETE = "\N{REPLACEMENT CHARACTER}"
"""What a tokenizer decodes the first bytes of a character to."""


def show_live(request: GenerationRequest, button: DeltaGenerator) -> Generation:
    """Draw the text while its missing tokens are generated.

    A click interrupts the run between two tokens. The tokens stay in the shared stream, and the
    next run continues after them.

    Args:
        button: Place of the button that stops or continues the text.
    """
    text = st.container(key="g_live_text").empty()
    complete = st.session_state.get("g_shown_request") == request
    if not complete and len(request.stream().steps) < request.count:
        reconnect.may_act()  # no later part of the page is drawn yet
        button.button(_("Stop writing"), icon=":material/stop:", key="g_stop", on_click=_stop)
        _generate(request, text)
        text.empty()
    st.session_state["g_shown_request"] = request
    generation = request.result()
    with button:
        _continue_button(loaded_models.decoder(request.model), generation)
    return generation


def _generate(request: GenerationRequest, text: DeltaGenerator) -> None:
    stream, count = request.stream(), 0
    st.session_state["g_shown_count"] = 0
    text.text(whole_text(request, CURSOR), width="stretch")
    while count < request.count and stream.ensure_step(count):
        count = min(len(stream.steps), request.count)
        st.session_state["g_shown_count"] = count
        text.text(whole_text(request, _decode(stream, stream.steps[:count])), width="stretch")


def _decode(stream: GenerationStream, steps: tuple[GeneratedId, ...]) -> str:
    ids = [step.token for step in steps if step.token not in stream.model.ends]
    text: str = stream.model.tokenizer.decode(ids, skip_special_tokens=False)
    return text.rstrip(INCOMPLETE) + CURSOR


def whole_text(request: GenerationRequest, generated: str) -> str:
    """Put the prompt before the text; a conversation shows the answer alone."""
    return generated if Generate.talk.value else request.text + generated


def _continue_button(model: LoadedCausal, generation: Generation) -> None:
    """Draw the button that continues the text, or why it has ended."""
    room = model.predictor.max_len - len(generation.tokens)
    more = min(Generate.tokens.value, room)
    labels = {"end": _("The model ended the text"), "full": _("The text is full")}
    ended = labels.get(generation.ending)
    st.button(
        ended or ngettext("Write {count} more", "Write {count} more", more).format(count=more),
        icon=":material/keyboard_return:" if ended else ":material/edit:",
        key="g_more",
        on_click=_continue,
        args=(len(generation.steps) + more,),
        disabled=ended is not None,
    )


def _stop() -> None:
    """Keep the tokens that were shown; a callback."""
    Generate.until.value = max(st.session_state["g_shown_count"], 1)


def _continue(until: int) -> None:
    """Continue the text up to a length; a callback."""
    Generate.until.value = until
