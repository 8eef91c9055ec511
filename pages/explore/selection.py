"""The selected heads of Explore: in the session, and in the capture view."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from model import HeadlightError
from pages.explore.url import Explore
from viz import Side
from web.cache import captures, uploaded_captures
from web.subject import Subject
from web.widgets import capture_view as view
from web.widgets.head_comparison import most_similar

MAX_OVERLAID = 11
"""Heads that can be drawn over the selected one: each has a colour."""

AS_THEY_ARE = ("same", "linked", "picked", "overlaid", "view", "scale")
"""Fields of the selection with the name of their session key."""


def capture_state(*subjects: Subject) -> None:
    """Keep the selection of the capture view and of the session in step."""
    state = st.session_state
    right = [state["right_layer"], state["right_head"]]
    selection: dict[str, Any] = {"left": [state["layer"], state["head"]], "right": right}
    selection |= {name: state[name] for name in AS_THEY_ARE}
    selection["side"] = acting_side()
    selection["dimmed"] = {subject.side: _others(subject) for subject in subjects}
    view.capture_state(selection, lambda fields: _select(fields, *subjects))


def _others(subject: Subject) -> list[tuple[int, int]]:
    """Return the heads without the wanted label; none if all are wanted."""
    wanted = st.session_state["label"]
    if wanted == "all" or uploaded_captures.is_file(subject.model):
        return []
    labels = captures.head_labels(subject.model, subject.text, subject.text_pair)
    return [
        (layer, head)
        for layer, row in enumerate(labels)
        for head, label in enumerate(row)
        if label.name != wanted
    ]


def _select(fields: Mapping[str, Any], *subjects: Subject) -> None:
    """Store what was selected, and pair a newly selected head; a callback.

    Nothing in the message is trusted: what the page does not have changes nothing.
    """
    state = st.session_state
    if uploaded_captures.is_file(str(fields.get("file"))):  # dropped on the page
        state["right"], state["picked"] = fields["file"], []
        st.rerun()
    for side, prefix in (("left", ""), ("right", "right_")):
        if _is_head(fields.get(side), subjects):
            state[f"{prefix}layer"], state[f"{prefix}head"] = fields[side]
    for name in AS_THEY_ARE:
        if name in fields:
            Explore.fields[name].receive(fields[name])
    state["picked"] = [unit for unit in state["picked"] if unit < len(subjects[0].units)]
    heads = [head for head in state["overlaid"] if _is_head(head, subjects)]
    state["overlaid"] = heads[:MAX_OVERLAID]
    if "side" in fields:
        Explore.side.receive(fields["side"])
    if fields.get("paired"):
        pair(*subjects)


def _is_head(sent: Any, subjects: tuple[Subject, ...]) -> bool:
    """Whether a message names a layer and a head that a side has."""
    sizes = [(side.capture().n_layers, side.capture().n_heads) for side in subjects]
    return (
        isinstance(sent, list | tuple)
        and [*map(type, sent)] == [int, int]
        and any(0 <= sent[0] < layers and 0 <= sent[1] < heads for layers, heads in sizes)
    )


def wanted(side: Side) -> tuple[int, int]:
    """Return the session's layer and head of a side; its model may be smaller."""
    state = st.session_state
    prefix = "right_" if side == "right" and not state["linked"] else ""
    return state[f"{prefix}layer"], state[f"{prefix}head"]


def selected(subject: Subject) -> tuple[int, int]:
    """Return the selected layer and head of a side, limited to the model's sizes."""
    (layer, head), capture = wanted(subject.side), subject.capture()
    return min(layer, capture.n_layers - 1), min(head, capture.n_heads - 1)


def drawn_heads(subject: Subject) -> list[tuple[int, int]]:
    """Return the selected head, and the heads that are drawn over it."""
    capture, head = subject.capture(), selected(subject)
    others = [(i, j) for i, j in st.session_state["overlaid"] if (i, j) != head]
    return [head, *((i, j) for i, j in others if i < capture.n_layers and j < capture.n_heads)]


def acting_side() -> Side:
    """Return the side on which a head was selected last."""
    side: Side = st.session_state["clicked_side"]
    return side


def pair(*subjects: Subject) -> None:
    """Select the head of the other side that attends most like the one selected last."""
    one, other = subjects if acting_side() == "left" else subjects[::-1]
    heads = {side.side: selected(side) for side in (one, other)}
    try:
        heads[other.side], _distance = most_similar(one, heads[one.side], other)
    except HeadlightError:  # no common token, or a layer without attention: nothing is similar
        return
    state = st.session_state
    state["linked"] = False
    state["layer"], state["head"] = heads["left"]
    state["right_layer"], state["right_head"] = heads["right"]
