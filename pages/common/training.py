"""Watch heads form: a slider through the checkpoints of our encoder's training."""

from functools import partial

import streamlit as st

from model import shipped
from model.catalogue import TRAINED, checkpoint_step
from pages import components
from pages.common.i18n import _
from viz import Side
from viz.theme import rgb


def training(side: Side, model: str) -> None:
    """Draw the slider, if the side shows our trained encoder or a checkpoint of it."""
    if model != TRAINED and checkpoint_step(model) is None:
        return
    checkpoints = shipped.history().checkpoints
    names = checkpoint_names()
    components.training(
        {
            "side": side,
            "hue": rgb(side),
            "current": names.index(model),
            "steps": [checkpoint.step for checkpoint in checkpoints],
            "loss": [checkpoint.loss for checkpoint in checkpoints],
            "previous": [checkpoint.previous for checkpoint in checkpoints],
            "next": [checkpoint.next for checkpoint in checkpoints],
            "strings": {
                "step": _("Training step"),
                "play": _("Play the training"),
                "pause": _("Pause"),
                "at": [_("step {step}").format(step=f"{c.step:,}") for c in checkpoints],
                "loss": _("Loss on held-out text (nats)"),
                "previous": _("on the previous token"),
                "next": _("on the next token"),
                "description": _(
                    "Loss on held-out text, and the share of the selected head's attention on the "
                    "previous and on the next token, over the steps of the training."
                ),
                "locale": "en",
            },
        },
        key=f"training_{side}",
        on_step=partial(_go_to, side),
    )


def checkpoint_names() -> list[str]:
    """What the checkpoints are called, in the order of training; the last one ships as itself."""
    steps = [checkpoint.step for checkpoint in shipped.history().checkpoints]
    return [*(f"{TRAINED}@{step}" for step in steps[:-1]), TRAINED]


def _go_to(side: Side) -> None:
    """A callback: the side shows another checkpoint."""
    index = st.session_state[f"training_{side}"].step["index"]
    names = checkpoint_names()
    if isinstance(index, int) and 0 <= index < len(names):
        st.session_state[side] = names[index]
