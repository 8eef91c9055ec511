"""The three attentions of a translation: all heads at a glance, and one cell by cell."""

import numpy as np
import streamlit as st

from model.capture.record import AttentionCapture
from model.catalogue.translation import Translation
from model.catalogue.translator import START
from pages import components
from pages.decoder.asked import Asked, OfStack
from pages.decoder.notebook import translation_lines
from pages.decoder.writing import shown_head
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.choices import choose
from pages.shared.explained import explain
from pages.shared.head_picker import head_boxes, head_name
from pages.shared.language import _, plain
from pages.shared.overviews import overview
from pages.shared.source import show_source
from pages.shared.take_away import stem, take_away
from pages.shared.view import View, sync
from viz import attention_heatmap, distinct, lines_payload, shortened
from viz.figures.heatmap import matrix_height
from viz.style.theme import THEME_PAPER, rgb


def stacks(asked: Asked, translation: Translation) -> None:
    """Draw the choice of the stack and of the head, all heads, and the chosen one."""
    names = {
        "cross": _("Cross-attention"),
        "decoder": _("Decoder's self-attention"),
        "encoder": _("Encoder's self-attention"),
    }
    n_layers, n_heads = translation.cross.weights.shape[:2]
    with st.container(horizontal=True, vertical_alignment="center", key="stacks_row"):
        stack = choose(_("Which attention"), names, "stack", label_hidden=True)
        head_boxes("t_", n_layers, n_heads, _("Layer"), _("Head"), in_row=True)
        choose(
            _("View"),
            {"heatmap": _("Heatmap"), "lines": _("Lines")},
            "t_view",
            label_hidden=True,
        )
        st.toggle(
            _("Above: mean over heads"),
            key="t_mean",
            persist_state="session",
            help=_("What the picture above draws: the mean of the layer's heads, or this head."),
        )
        explain("layer", "head", "query", "key")
    capture: AttentionCapture = getattr(translation, stack)
    left, right = st.columns([1, 2])
    with left:
        _all_heads(asked, capture, names[stack])
    with right:
        _one_head(asked, capture, names[stack])
    layer, head = shown_head(translation)
    sync(View(selected={"left": (layer, head), "right": (layer, head)}))


def _labels(capture: AttentionCapture) -> tuple[list[str], list[str] | None]:
    """Names of the queries, and of the keys where they are others."""
    keys = None if capture.other_keys is None else distinct(list(capture.key_tokens))
    return distinct(list(capture.tokens)), keys


def _all_heads(asked: Asked, capture: AttentionCapture, name: str) -> None:
    labels, keys = _labels(capture)
    n_layers, n_heads = capture.weights.shape[:2]
    overview(
        capture.weights,
        labels,
        key_labels=keys,
        allowed=_allowed(capture, 0),
        key="stack_heads",
        side="left",
        hue="left",
        model=f"{asked.model} · {name}",
        sentence=asked.text,
        description=_(
            "{name} of {model}: {layers} layers down, {heads} heads across. Arrow keys move the "
            "selection."
        ).format(name=name, model=asked.model, layers=n_layers, heads=n_heads),
        on_picked=_select,
    )
    st.caption(_said()[capture.stack])


def _said() -> dict[str, str]:
    return {
        "cross": _(
            "Rows: the token read last, so that row {start} is what the first word was chosen by. "
            "Columns: the source."
        ).format(start=plain(START)),
        "decoder": _(
            "Rows and columns: what was written so far. A token sees itself and what came before; "
            "the cells after it are masked, not zero."
        ),
        "encoder": _("Rows and columns: the source. Every token sees every other."),
    }


def _allowed(capture: AttentionCapture, layer: int) -> np.ndarray | None:
    return capture.allowed[layer]


def _select() -> None:
    """A callback: a thumbnail was clicked."""
    cell = st.session_state["stack_heads"].picked
    st.session_state["t_layer"], st.session_state["t_head"] = int(cell["layer"]), int(cell["head"])


def _one_head(asked: Asked, capture: AttentionCapture, name: str) -> None:
    layer, head = shown_head(asked.written())
    weights, (labels, keys) = capture.weights[layer, head], _labels(capture)
    title = f"{asked.model} · {head_name(layer, head)}"
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    alt = _("{name}, {title}; strongest: {query} to {key}, {weight:.4f}.").format(
        name=name,
        title=title,
        query=labels[query],
        key=(keys or labels)[key],
        weight=float(weights[query, key]),
    )
    allowed = _allowed(capture, layer)
    if st.session_state["t_view"] == "lines":
        payload = lines_payload(
            weights[None],
            labels,
            key_labels=keys,
            allowed=allowed,
            side="left",
            names=[head_name(layer, head)],
            colours=[rgb("left")],
            description=alt,
            masked=_("masked"),
        )
        components.lines(payload, key="stack_lines", on_picked=_nothing)
        return
    figure = attention_heatmap(
        weights,
        list(capture.tokens),
        None if keys is None else list(capture.key_tokens),
        title=title,
        subtitle=f"{name} · {shortened(asked.text, 40)}",
        side="left",
        allowed=allowed,
        text_colour=THEME_TEXT,
        paper_colour=THEME_PAPER,
        height=matrix_height(len(labels)),
        translate=_,
    )
    chart(figure, "stack_heatmap", stem(asked.model, capture.stack, asked.text.lower()), alt)
    with st.container(horizontal=True):
        stacks_of = [OfStack(asked, each) for each in ("cross", "decoder", "encoder")]
        take_away("stack", translation_lines(asked, capture.stack, layer, head), *stacks_of)
    show_source("translation", ["translation"])


def _nothing() -> None:
    """A click on a token of the lines picks nothing here."""
