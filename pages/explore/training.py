"""Watch heads form: a slider through the checkpoints of our encoder's training."""

from functools import partial

import streamlit as st

from model.catalogue import shipped
from model.catalogue.names import TRAINED, checkpoint_names, checkpoint_step
from pages import components
from pages.shared.language import _
from viz import Side
from viz.style.theme import rgb


def training(side: Side, model: str) -> None:
    """Draw the slider, if the side shows our trained encoder or a checkpoint of it."""
    step = checkpoint_step(model)
    if model != TRAINED and step is None:
        return
    checkpoints = shipped.history().checkpoints
    steps = [checkpoint.step for checkpoint in checkpoints]
    hue = {"colour": "var(--hue)", "digits": 2}
    components.player(
        {
            "side": side,
            "hue": rgb(side),
            "current": len(steps) - 1 if step is None else steps.index(step),
            "stops": [f"{checkpoint.step:,}" for checkpoint in checkpoints],
            "spoken": [_("step {step}").format(step=f"{c.step:,}") for c in checkpoints],
            "curves": [
                {
                    "label": _("hidden tokens guessed right"),
                    "values": [checkpoint.top1 for checkpoint in checkpoints],
                    "colour": "currentColor",
                    "digits": 3,
                    "line": "dotted",
                    "dash": "2 3",
                },
                {
                    "label": _("on the previous token"),
                    "heads": [checkpoint.previous for checkpoint in checkpoints],
                    "line": "solid",
                    "dash": "",
                    **hue,
                },
                {
                    "label": _("on the next token"),
                    "heads": [checkpoint.next for checkpoint in checkpoints],
                    "line": "dashed",
                    "dash": "6 4",
                    **hue,
                },
            ],
            "strings": {
                "name": _("Training step"),
                "play": _("Play the training"),
                "pause": _("Pause"),
                "description": _(
                    "On held-out text, over the steps of the training: the share of the hidden "
                    "tokens that are guessed right, and the share of the selected head's attention "
                    "on the previous and on the next token."
                ),
                "of": _("On held-out text, not on this sentence:"),
            },
        },
        key=f"training_{side}",
        on_stop=partial(_go_to, side),
    )


def _go_to(side: Side) -> None:
    """A callback: the side shows another checkpoint."""
    index = st.session_state[f"training_{side}"].stop["index"]
    names = checkpoint_names()
    if isinstance(index, int) and 0 <= index < len(names):
        st.session_state[side] = names[index]
        st.rerun()  # the page: the slider stands in a part of it, and the model is everywhere
