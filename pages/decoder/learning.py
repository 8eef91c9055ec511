"""Watch the alignment form: a slider through the checkpoints of a translator's training."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from model.catalogue.names import checkpoint_names
from model.catalogue.translation_files import Moment, TaskName, translation
from pages import components
from pages.decoder.asked import Asked
from pages.decoder.translate_address import learning_begins_open
from pages.decoder.writing import mean_name
from pages.shared.head_picker import chosen_head, head_name
from pages.shared.language import _
from pages.shared.translators import base_of
from viz.style.theme import rgb


def fold_button(asked: Asked) -> None:
    """Draw the button that opens the training; that of a model from elsewhere is not known."""
    if asked.base is None:
        return
    if st.session_state["learning_open"] is None:  # as it begins, until somebody folds it
        st.session_state["learning_open"] = bool(learning_begins_open())
    opened = st.session_state["learning_open"]
    st.button(
        _("Hide the training") if opened else _("Watch it learn"),
        icon=":material/expand_less:" if opened else ":material/expand_more:",
        key="fold_learning",
        type="tertiary",
        on_click=_fold,
    )


def learning(asked: Asked) -> None:
    """Draw the slider, where it is open."""
    if asked.base is not None and st.session_state["learning_open"]:
        _slider(asked.model, asked.base)


def _fold() -> None:
    """A callback."""
    st.session_state["learning_open"] = not st.session_state["learning_open"]


def _slider(model: str, base: TaskName) -> None:
    checkpoints = translation(base).checkpoints
    names = checkpoint_names(base)
    components.player(
        {
            "side": "left",
            "hue": rgb("left"),
            "current": names.index(model),
            "stops": [f"{checkpoint.step:,}" for checkpoint in checkpoints],
            "spoken": [_("step {step}").format(step=f"{c.step:,}") for c in checkpoints],
            "curves": [
                {
                    "label": _("held-out texts exactly right"),
                    "values": [checkpoint.exact for checkpoint in checkpoints],
                    "colour": "currentColor",
                    "digits": 3,
                    "line": "dotted",
                    "dash": "2 3",
                },
                *_alignment(checkpoints),
            ],
            "strings": {
                "name": _("Training step"),
                "play": _("Play the training"),
                "pause": _("Pause"),
                "description": _(
                    "Over the steps of the training: the share of held-out texts that come out "
                    "exactly right."
                ),
                "of": _("On held-out texts, not on this one:"),
            },
        },
        key="learning",
        on_stop=_go_to,
    )


def _alignment(checkpoints: Sequence[Moment]) -> list[dict[str, Any]]:
    """How often what is drawn above points at the true word; nothing where none is known."""
    if not all(checkpoint.alignment for checkpoint in checkpoints):
        return []
    n_layers, n_heads = len(checkpoints[0].alignment), len(checkpoints[0].alignment[0]) - 1
    layer, head = chosen_head(n_layers, n_heads, prefix="t_")
    over_mean = st.session_state["t_mean"]
    column = n_heads if over_mean else head  # the last one is the mean's
    whose = mean_name(layer) if over_mean else head_name(layer, head)
    return [
        {
            "label": _("{whose} looks most at the true word").format(whose=whose),
            "values": [checkpoint.alignment[layer][column] for checkpoint in checkpoints],
            "colour": "var(--hue)",
            "digits": 3,
            "line": "solid",
            "dash": "",
        }
    ]


def _go_to() -> None:
    """A callback: another checkpoint writes the same text."""
    index = st.session_state["learning"].stop["index"]
    base = base_of(st.session_state["translator"])
    names = [] if base is None else checkpoint_names(base)
    if isinstance(index, int) and 0 <= index < len(names):
        st.session_state["translator"] = names[index]
