"""All heads at a glance while a text was written, one cell by cell, and the ways on from it."""

from pathlib import Path

import numpy as np
import streamlit as st

from model.capture.record import AttentionCapture
from model.catalogue.causal import Generation
from pages import components
from pages.decoder.generate_asked import Prompt
from pages.decoder.generate_seen import shown_head
from pages.decoder.notebook import generation_lines
from pages.shared import loading, present
from pages.shared.address import link
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.choices import choose
from pages.shared.explained import explain
from pages.shared.head_picker import head_boxes, head_name
from pages.shared.language import _
from pages.shared.model_name import model_name
from pages.shared.overviews import overview
from pages.shared.parameters import write_text
from pages.shared.source import show_source
from pages.shared.take_away import stem, take_away
from pages.shared.view import View, sync
from viz import attention_heatmap, distinct, lines_payload, shortened
from viz.figures.heatmap import matrix_height
from viz.style.theme import THEME_PAPER, rgb

PAGES = Path(__file__).parents[1]

Place = tuple[int, int]
"""Layer and head."""


def heads(prompt: Prompt, generation: Generation) -> None:
    """Draw the choice of the head, all heads, and the chosen one."""
    capture, place = generation.capture, shown_head(generation)
    n_layers, n_heads = capture.weights.shape[:2]
    with st.container(horizontal=True, vertical_alignment="center", key="g_heads_row"):
        head_boxes("g_", n_layers, n_heads, _("Layer"), _("Head"), in_row=True)
        choose(
            _("View"),
            {"heatmap": _("Heatmap"), "lines": _("Lines")},
            "g_view",
            label_hidden=True,
        )
        st.toggle(
            _("Above: mean over heads"),
            key="g_mean",
            persist_state="session",
            help=_("What the text above is coloured by: the layer's heads together, or this one."),
        )
        explain("layer", "head", "query", "key")
    left, right = st.columns([1, 2])
    with left, present.stage("stack"):
        _all_heads(prompt, capture)
    with right:
        draw = _lines if st.session_state["g_view"] == "lines" else _heatmap
        draw(prompt, capture, place)
        with st.container(horizontal=True, vertical_alignment="center"):
            take_away("generation", generation_lines(prompt, *place), prompt)
            if _reads_the_same(capture):
                _ways_on(capture, place)
        show_source("generation", ["generation", "head"], prompt)
    sync(View(selected={"left": place, "right": place}))


def _reads_the_same(capture: AttentionCapture) -> bool:
    """Whether the text, read anew, is these tokens; the one that ends it is not spelled.

    A model can write what its tokenizer would have cut otherwise.
    """
    ids = loading.decoder(capture.model).tokenize(capture.text).ids
    return ids == capture.token_ids[: len(ids)]


def _ways_on(capture: AttentionCapture, place: Place) -> None:
    for page, label, icon, address in (
        ("calculator", _("Every number of this head"), "calculate", _as_head),
        ("explore", _("Beside BERT, which looks ahead"), "visibility", _beside_bert),
    ):
        st.page_link(
            PAGES / page / "page.py",
            label=label,
            icon=f":material/{icon}:",
            query_params=link(address(capture, place)),
        )


def _as_head(capture: AttentionCapture, place: Place) -> dict[str, str]:
    """The Calculator's address of this head."""
    of = {"mode": "head", "left": capture.model, "text": write_text(capture.text)}
    return {**of, "layer": str(place[0]), "head": str(place[1])}


def _beside_bert(capture: AttentionCapture, place: Place) -> dict[str, str]:
    """Explore's address of the text, read by the decoder and by an encoder."""
    of = {"text": write_text(capture.text), "left": capture.model, "right": "minilm"}
    return {**of, "layer": str(place[0]), "head": str(place[1])}


def _all_heads(prompt: Prompt, capture: AttentionCapture) -> None:
    n_layers, n_heads = capture.weights.shape[:2]
    overview(
        capture.weights,
        distinct(capture.tokens),
        allowed=capture.allowed[0],
        key="g_all_heads",
        side="left",
        hue="left",
        model=model_name(prompt.model),
        sentence=capture.text,
        description=_(
            "Attention of {model}: {layers} layers down, {heads} heads across. Arrow keys move the "
            "selection."
        ).format(model=model_name(prompt.model), layers=n_layers, heads=n_heads),
        on_picked=_select,
    )
    st.caption(
        _(
            "Rows and columns: prompt and text. A token sees itself and what came before; the "
            "cells after it are masked, not zero."
        )
    )


def _select() -> None:
    """A callback: a thumbnail was clicked."""
    cell = st.session_state["g_all_heads"].picked
    st.session_state["g_layer"], st.session_state["g_head"] = int(cell["layer"]), int(cell["head"])
    st.session_state["g_mean"] = False


def _lines(prompt: Prompt, capture: AttentionCapture, place: Place) -> None:
    payload = lines_payload(
        capture.weights[place][None],  # (T, T) -> (1, T, T)
        distinct(capture.tokens),
        allowed=capture.allowed[place[0]],
        side="left",
        names=[head_name(*place)],
        colours=[rgb("left")],
        description=_described(prompt, capture, place),
        masked=_("masked"),
    )
    components.lines(payload, key="g_lines", on_picked=_nothing)


def _heatmap(prompt: Prompt, capture: AttentionCapture, place: Place) -> None:
    name = model_name(prompt.model)
    figure = attention_heatmap(
        capture.weights[place],
        capture.tokens,
        title=f"{name} · {head_name(*place)}",
        subtitle=shortened(capture.text, 60),
        side="left",
        allowed=capture.allowed[place[0]],
        text_colour=THEME_TEXT,
        paper_colour=THEME_PAPER,
        height=matrix_height(len(capture.tokens)),
        translate=_,
    )
    called = stem(name, head_name(*place), prompt.text.lower())
    chart(figure, "g_heatmap", called, _described(prompt, capture, place))


def _described(prompt: Prompt, capture: AttentionCapture, place: Place) -> str:
    weights, labels = capture.weights[place], distinct(capture.tokens)
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    return _("{what}; strongest: {query} to {key}, {weight:.4f}.").format(
        what=f"{model_name(prompt.model)} · {head_name(*place)}",
        query=labels[query],
        key=labels[key],
        weight=float(weights[query, key]),
    )


def _nothing() -> None:
    """A click on a token of the lines picks nothing here."""
