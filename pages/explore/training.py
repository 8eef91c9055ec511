"""Training of our encoder: a slider through its checkpoints for each side that shows one."""

from functools import partial

import streamlit as st

from model.catalogue import encoder_files
from model.catalogue.names import TRAINED, checkpoint_names, checkpoint_step
from pages.explore.selection import selected
from pages.explore.url import Explore
from viz import Side
from web.language import _
from web.subject import Subject
from web.widgets.checkpoint_slider import checkpoint_slider, chosen_checkpoint, curve, toggle_button
from web.widgets.head_picker import head_name

Sides = tuple[Subject, Subject]


def training_button(sides: Sides) -> None:
    """Draw the button that opens the training, if a side shows a checkpoint."""
    if trained := _trained(sides):
        on_open = partial(_play, trained[0].side)
        toggle_button("training", TRAINED, Explore.training, on_open)


def _play(side: Side) -> None:
    """Show the first checkpoint on a side, whose slider then plays; a callback."""
    st.session_state[side], Explore.side.value = checkpoint_names()[0], side
    st.session_state["training_plays"] = side
    st.rerun()


def training_sliders(sides: Sides) -> None:
    """Draw the slider of each side that has one, if they are open."""
    # Its changes are to be seen: page.css places it above the view.
    with st.container(horizontal=True, key="training"):
        for subject in _trained(sides) if Explore.training.value else ():
            _slider(subject)


def _trained(sides: Sides) -> list[Subject]:
    return [r for r in sides if r.model == TRAINED or checkpoint_step(r.model) is not None]


def _slider(subject: Subject) -> None:
    side, model, (layer, head) = subject.side, subject.model, selected(subject)
    checkpoints = encoder_files.history().checkpoints
    steps = [checkpoint.step for checkpoint in checkpoints]
    step = checkpoint_step(model)
    checkpoint_slider(
        key=f"training_{side}",
        hue=subject.hue,
        steps=steps,
        current=len(steps) - 1 if step is None else steps.index(step),
        curves=[
            curve(
                _("hidden tokens predicted correctly"),
                [checkpoint.top1 for checkpoint in checkpoints],
                "dotted",
                3,
            ),
            curve(
                _("{head}: attention on the previous token").format(head=head_name(layer, head)),
                [checkpoint.previous[layer][head] for checkpoint in checkpoints],
                "solid",
                2,
            ),
            curve(
                _("{head}: attention on the next token").format(head=head_name(layer, head)),
                [checkpoint.next[layer][head] for checkpoint in checkpoints],
                "dashed",
                2,
            ),
        ],
        description=_(
            "Curves over the training steps, on texts that it never read: the share of hidden "
            "tokens predicted correctly, and the selected head's attention on the "
            "previous and on the next token."
        ),
        on_stop=partial(_select_checkpoint, side),
        plays=st.session_state.pop("training_plays", None) == side,
    )


def _select_checkpoint(side: Side) -> None:
    """Show another checkpoint on a side; a callback."""
    name = chosen_checkpoint(f"training_{side}", checkpoint_names())
    if name is not None:
        st.session_state[side] = name
        st.rerun()  # the whole page: the slider is in a fragment, the model is used everywhere
