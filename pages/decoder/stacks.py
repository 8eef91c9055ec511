"""The three attentions of a translation: all heads at a glance, and one cell by cell."""

import streamlit as st

from model.capture.record import AttentionCapture
from model.catalogue.translation import Translation
from pages.decoder.asked import Asked
from pages.decoder.one_head import labels_of, one_head
from pages.shared import present
from pages.shared.choices import choose
from pages.shared.explained import explain
from pages.shared.head_picker import chosen_head, head_boxes
from pages.shared.language import _, plain
from pages.shared.model_name import model_name
from pages.shared.overviews import overview
from pages.shared.view import View, sync


def stacks(asked: Asked, translation: Translation) -> None:
    """Draw the choice of the stack and of the head, all heads, and the chosen one."""
    names = {
        "cross": _("Cross-attention"),
        "decoder": _("Decoder's self-attention"),
        "encoder": _("Encoder's self-attention"),
    }
    with st.container(horizontal=True, vertical_alignment="center", key="stacks_row"):
        stack = choose(_("Which attention"), names, "stack", label_hidden=True)
        capture: AttentionCapture = getattr(translation, stack)
        n_layers, n_heads = capture.weights.shape[:2]  # an encoder may have others than its decoder
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
    place = chosen_head(n_layers, n_heads, prefix="t_")
    left, right = st.columns([1, 2])
    with left, present.stage("stack"):
        _all_heads(asked, capture, names[stack])
    with right:
        one_head(asked, capture, names[stack], place)
    sync(View(selected={"left": place, "right": place}))


def _all_heads(asked: Asked, capture: AttentionCapture, name: str) -> None:
    labels, keys = labels_of(capture)
    n_layers, n_heads = capture.weights.shape[:2]
    overview(
        capture.weights,
        labels,
        key_labels=keys,
        allowed=capture.allowed[0],
        key="stack_heads",
        side="left",
        hue="left",
        model=f"{model_name(asked.model)} · {name}",
        sentence=asked.text,
        description=_(
            "{name} of {model}: {layers} layers down, {heads} heads across. Arrow keys move the "
            "selection."
        ).format(name=name, model=model_name(asked.model), layers=n_layers, heads=n_heads),
        on_picked=_select,
    )
    st.caption(_said(capture.tokens[0])[capture.stack])


def _said(start: str) -> dict[str, str]:
    return {
        "cross": _(
            "Rows: the token read last, so that row {start} is what the first word was chosen by. "
            "Columns: the source."
        ).format(start=plain(start)),
        "decoder": _(
            "Rows and columns: what was written so far. A token sees itself and what came before; "
            "the cells after it are masked, not zero."
        ),
        "encoder": _("Rows and columns: the source. Every token sees every other."),
    }


def _select() -> None:
    """A callback: a thumbnail was clicked."""
    cell = st.session_state["stack_heads"].picked
    st.session_state["t_layer"], st.session_state["t_head"] = int(cell["layer"]), int(cell["head"])
