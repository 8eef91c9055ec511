"""Heads of a translation and of a generated text, and links to other pages."""

from functools import partial
from pathlib import Path

import streamlit as st

from model.capture.record import AttentionCapture
from model.catalogue.causal import Generation
from model.catalogue.translation import Translation
from pages.decoder.heads_view import HeadsView, draw_heads, head_controls
from pages.decoder.request import GenerationRequest, Stack, StackExport, TranslationRequest
from pages.decoder.url import Generate, Translate
from web.cache import loaded_models
from web.language import _, plain
from web.model_name import model_name
from web.translators import write_forced
from web.view_state.address import link
from web.view_state.field import write_text
from web.widgets.export import DrawPapers, figure_tools

PAGES = Path(__file__).parents[1]


def translation_heads(request: TranslationRequest, translation: Translation) -> None:
    """Draw the choice of the stack and the head, all heads, and the selected one."""
    with st.container(horizontal=True, vertical_alignment="center", key="stacks_row"):
        stack = Translate.stack.draw()
        capture: AttentionCapture = getattr(translation, stack)
        mean_help = _("What the picture shows: the mean of the layer's heads, or this head.")
        head_controls(capture, Translate, mean_help)
    view = HeadsView(
        model=model_name(request.model),
        capture=capture,
        of=Translate,
        key="stack",
        stack=Translate.stack.names()[stack],
        text=request.text,
        axes=_axes(capture.tokens[0])[stack],
    )
    draw_heads(view, partial(_below_translation, request, stack, view.place))


def _axes(start: str) -> dict[Stack, str]:
    return {
        "cross": _(
            "Each row is the last token so far, with which the decoder chooses the next word. Row "
            "{start} chooses the first word. Columns are the source tokens."
        ).format(start=plain(start)),
        "decoder": _(
            "Rows and columns are the written tokens. A token attends to itself and "
            "to earlier tokens; later cells are masked, not zero."
        ),
        "encoder": _("Rows and columns are the source tokens. Every token attends to every token."),
    }


def _below_translation(
    request: TranslationRequest,
    stack: Stack,
    place: tuple[int, int],
    figure: str,
    papers: DrawPapers,
) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        exports = [StackExport(request, each) for each in Translate.stack.options]
        figure_tools("stack", request.code(stack, *place), *exports, figure=figure, papers=papers)
        st.page_link(
            PAGES / "calculator" / "page.py",
            label=_("This head step by step"),
            icon=":material/calculate:",
            query_params=link(_calculator_url(request, stack, place)),
        )


def _calculator_url(
    request: TranslationRequest, stack: Stack, place: tuple[int, int]
) -> dict[str, str]:
    """Query parameters of the Calculator, which decodes greedily: other tokens are forced there."""
    replay = request.options or request.forced
    forced = write_forced(enumerate(request.result().tokens)) if replay else ""
    return {
        "mode": "head",
        "stack": "source" if stack == "encoder" else stack,
        "translator": request.model,
        "source": write_text(request.text),
        "layer": str(place[0]),
        "head": str(place[1]),
        **({"forced": forced} if forced else {}),
    }


def generation_heads(request: GenerationRequest, generation: Generation) -> None:
    """Draw the choice of the head, all heads, and the selected one."""
    capture = generation.capture
    with st.container(horizontal=True, vertical_alignment="center", key="g_heads_row"):
        mean_help = _(
            "What the colours of the text show: the mean of the layer's heads, or this head."
        )
        head_controls(capture, Generate, mean_help)
    view = HeadsView(
        model=model_name(request.model),
        capture=capture.with_sink_key(),
        of=Generate,
        key="g",
        stack=_("Attention"),
        text=capture.text,
        axes=_(
            "Rows and columns are prompt and text. A token attends to itself and to "
            "earlier tokens; later cells are masked, not zero."
        ),
    )
    draw_heads(view, partial(_below_generation, request, capture, view.place))


def _below_generation(
    request: GenerationRequest,
    capture: AttentionCapture,
    place: tuple[int, int],
    figure: str,
    papers: DrawPapers,
) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        figure_tools("generation", request.code(*place), request, figure=figure, papers=papers)
        if _tokenizes_to_itself(capture):
            _generation_links(capture, place)


def _tokenizes_to_itself(capture: AttentionCapture) -> bool:
    """Whether the tokenizer cuts the text into these tokens; the end token is not in the text.

    A model can generate tokens that the tokenizer would have cut otherwise. Other pages read the
    text, so they would show other tokens.
    """
    ids = loaded_models.decoder(capture.model).tokenize(capture.text).ids
    return ids == capture.token_ids[: len(ids)]


def _generation_links(capture: AttentionCapture, place: tuple[int, int]) -> None:
    text, (layer, head) = write_text(capture.text), map(str, place)
    calculator = {"mode": "head", "left": capture.model, "text": text}
    explore = {"text": text, "left": capture.model, "right": "minilm"}
    for page, label, icon, parameters in (
        ("calculator", _("This head step by step"), "calculate", calculator),
        ("explore", _("Compare with BERT, which looks ahead"), "visibility", explore),
    ):
        st.page_link(
            PAGES / page / "page.py",
            label=label,
            icon=f":material/{icon}:",
            query_params=link({**parameters, "layer": layer, "head": head}),
        )
