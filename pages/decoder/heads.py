"""Heads of a translation and of a generated text, and a link to the Calculator."""

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from model.capture.record import AttentionCapture
from model.capture.tokens import Keys
from model.catalogue.causal import Generation
from model.catalogue.translation import Translation
from pages.decoder.request import (
    GenerationRequest,
    StackExport,
    TranslationRequest,
    TranslationStack,
)
from pages.decoder.step_player import selected_head
from pages.decoder.url import Generate, Translate, Writing
from viz import attention_heatmap
from web.cache import loaded_models
from web.capture_part import hue_of
from web.language import _
from web.model_name import model_name
from web.translators import write_forced
from web.view_state.address import link
from web.view_state.field import write_text
from web.widgets import present
from web.widgets.capture_view import capture_part, capture_state, capture_view
from web.widgets.export import Paper, figure_tools, heatmap_papers, stem
from web.widgets.head_picker import head_name, layers_without_attention

PAGES = Path(__file__).parents[1]


def translation_heads(request: TranslationRequest, translation: Translation) -> None:
    """Draw the choice of the stack, all its heads, and the selected one."""
    with st.container(horizontal=True, vertical_alignment="center", key="stacks_row"):
        stack = Translate.stack.draw()
        Translate.view.draw()
        if stack != "encoder":
            st.caption(
                _(
                    "In these pictures, a row shows what the decoder attends to when it writes "
                    "that token; the query is of the token before. <s>: start, </s>: end."
                ),
                width="content",
            )
    own: AttentionCapture = getattr(translation, stack)
    capture = own if stack == "encoder" else _named_by_choice(own, translation)
    rows = _("token that is written") if stack != "encoder" else None
    papers = _draw(Translate, capture, request.model, rows)
    place = selected_head(capture, Translate)
    with st.container(horizontal=True, vertical_alignment="center"):
        exports = [StackExport(request, each) for each in Translate.stack.options]
        code = request.code(f"written.{stack}", *place)
        figure_tools("stack", code, *exports, figure="heatmap_left", papers=papers)
        _step_by_step(_calculator_url(request, stack, place))


def _named_by_choice(capture: AttentionCapture, translation: Translation) -> AttentionCapture:
    """Name each row by the token that it chooses, which is the next one; keys keep their names."""
    special = capture.special
    if special.size:
        special = np.append(special[1:], translation.ending == "end")
    return replace(
        capture,
        tokens=(*capture.tokens[1:], translation.tokens[-1]),
        special=special,
        other_keys=capture.other_keys
        or Keys(**{each.name: getattr(capture, each.name) for each in fields(Keys)}),
    )


def _calculator_url(
    request: TranslationRequest, stack: TranslationStack, place: tuple[int, int]
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
    """Draw all heads, and the selected one."""
    capture = generation.capture
    Generate.view.draw()
    papers = _draw(Generate, capture, request.model)
    place = selected_head(capture, Generate)
    with st.container(horizontal=True, vertical_alignment="center"):
        code = request.code("written.capture", *place)
        figure_tools("generation", code, request, figure="heatmap_left", papers=papers)
        if _tokenizes_to_itself(capture):
            at = {"left": capture.model, "text": write_text(capture.text)}
            layer, head = map(str, place)
            _step_by_step({"mode": "head", **at, "layer": layer, "head": head})


def _tokenizes_to_itself(capture: AttentionCapture) -> bool:
    """Whether the tokenizer cuts the text into these tokens; the end token is not in the text.

    A model can generate tokens that the tokenizer would have cut otherwise. The
    Calculator reads the text, so it would show other tokens.
    """
    ids = loaded_models.decoder(capture.model).tokenize(capture.text).ids
    return ids == capture.token_ids[: len(ids)]


def _draw(
    of: Writing, capture: AttentionCapture, model: str, rows: str | None = None
) -> partial[Mapping[str, Paper]]:
    """Draw all heads of a capture, and the selected one; return what draws it for a paper.

    Args:
        rows: What the rows are; None: the queries.
    """
    place, name = selected_head(capture, of), model_name(model)
    if missing := layers_without_attention(capture):
        st.caption(missing)
    with present.stage("stack"):
        header, cells = capture_part(capture, "left", model=name)
        for figure in header["figures"] if rows else ():
            figure["layout"]["yaxis"]["title"]["text"] = rows
        capture_view((header, cells), show=("heads", "head"))
    selection = {"left": list(place), "view": of.view.value}
    capture_state(selection, partial(_select_head, of))
    return partial(_papers, capture, place, name, rows)


def _select_head(of: Writing, changed: Mapping[str, Any]) -> None:
    """Select the head that was clicked; a callback."""
    if "left" in changed:
        of.layer.value, of.head.value = map(int, changed["left"])


def _papers(
    capture: AttentionCapture, place: tuple[int, int], name: str, rows: str | None
) -> Mapping[str, Paper]:
    title = f"{name} · {head_name(*place)}"
    figure = attention_heatmap(
        capture.weights[place],
        capture.tokens,
        None if capture.other_keys is None else capture.key_tokens,
        title=title,
        side=hue_of(capture.model),
        allowed=capture.allowed[place[0]],
        translate=_,
    )
    if rows:
        figure.update_yaxes(title_text=rows)
    return heatmap_papers(figure, stem(title, capture.text.lower()))


def _step_by_step(view: Mapping[str, str]) -> None:
    st.page_link(
        PAGES / "calculator" / "page.py",
        label=_("This head step by step"),
        icon=":material/calculate:",
        query_params=link(view),
    )
