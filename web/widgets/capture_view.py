"""A capture on screen: its tokens, all heads, and the selected head of one or two subjects.

The browser draws a click at once and reports it: see components/capture_view. Of two subjects,
one has the side ``left`` and one the side ``right``.
"""

from functools import partial
from typing import Any

import streamlit as st

from model import AttentionCapture, HeadlightError
from model.analysis.align import group_by_text
from model.version import citation, version
from viz import Side, shortened
from viz.view_payload import Part, subject_part, view_payload, view_strings
from web import components
from web.cache import loaded_models, uploaded_captures
from web.cache.blob_store import store
from web.components import edits
from web.inference.compute_queue_ui import report_busy
from web.inference.operations import array_turn
from web.language import _, cached_per_language, ngettext
from web.server.capture_upload import UPLOAD_URL
from web.server.static_files import PLOTLY_URL
from web.subject import Subject
from web.widgets.charts import toolbar_strings
from web.widgets.export import stem
from web.widgets.head_comparison import most_similar
from web.widgets.head_picker import shared_keys
from web.widgets.model_picker import describe
from web.widgets.trained_length import warn_of_left_out

MAX_OVERLAID = 11
"""Heads that can be drawn over the selected one: each has a colour."""

AS_THEY_ARE = ("same", "linked", "picked", "overlaid", "view", "scale", "range")
"""Fields of the selection with the name of their session key."""


def capture_view(*subjects: Subject) -> None:
    """Draw the subjects, or a hint if all tokens are hidden."""
    warn_of_left_out(*subjects)
    if not all(subject.units for subject in subjects):
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
        return
    first, last = subjects[0], subjects[-1]
    alike = first.labels == last.labels and first.capture().token_ids == last.capture().token_ids
    groups = None if alike else _aligned(first, last)
    parts = [_part(subject) for subject in subjects]
    components.capture_view(view_payload(parts, groups, strings=_strings(), upload=UPLOAD_URL))


def capture_state(*subjects: Subject) -> None:
    """Send the session's selection to the browser, and receive what is selected there."""
    state = st.session_state
    right = [state["right_layer"], state["right_head"]]
    selection = {"left": [state["layer"], state["head"]], "right": right}
    selection |= {name: state[name] for name in AS_THEY_ARE}
    components.capture_state({"selection": selection}, on_edited=partial(_edited, *subjects))


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
    return "left" if st.session_state.get("clicked_side") == "left" else "right"


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


@report_busy
def _edited(*subjects: Subject) -> None:
    """A callback: store what was selected, and pair a newly selected head."""
    state, fields = st.session_state, edits.received("capture_state")
    if "file" in fields:  # dropped on the page; the name came from capture_upload.py
        state["right"], state["picked"] = str(fields["file"]), []
        st.rerun()
    for side, prefix in (("left", ""), ("right", "right_")):
        if side in fields:
            state[f"{prefix}layer"], state[f"{prefix}head"] = map(int, fields[side])
    for name in AS_THEY_ARE:
        if name in fields:
            state[name] = fields[name]
    state["overlaid"] = [(int(i), int(j)) for i, j in state["overlaid"]][:MAX_OVERLAID]
    if "side" in fields:
        state["clicked_side"] = fields["side"]
    if fields.get("paired"):
        pair(*subjects)


def _part(subject: Subject) -> Part:
    capture, weights, units = subject.capture(), subject.all_weights(), subject.units
    about, count = _about(subject)
    with array_turn(weights.size):
        return subject_part(
            weights,
            [unit.label for unit in units],
            subject.labels,
            key_names=subject.key_names,
            key_labels=subject.key_labels,
            allowed=subject.allowed(),
            side=subject.side,
            title=f"{subject.name} · L0·H0",
            translate=_,
            store=store,
            model=subject.name,
            about=about,
            sentence=shortened(subject.sentence, 10_000),
            description=_(
                "All heads of {model}: {layers} layers of {heads} heads. The arrow keys "
                "change the layer (up, down) and the head (left, right)."
            ).format(model=subject.name, layers=capture.n_layers, heads=capture.n_heads),
            special=[unit.special for unit in units],
            without=list(capture.without_attention()),
            **_groups(capture),
            tokens={
                "label": _("Tokens of {model}").format(model=subject.name),
                "count": count,
                "chips": [_chip(subject, index) for index in range(len(units))],
            },
            plotly=PLOTLY_URL,
            file=f"headlight_{stem(subject.name, 'L0-H0', capture.text.lower())}",
            origin={"headlight": version(), "citation": citation()},
            strings=toolbar_strings(),
        )


def _about(subject: Subject) -> tuple[str, str]:
    """Return what the model is, and how many tokens it reads; a file of weights has no model."""
    capture, count = subject.capture(), len(subject.capture().tokens)
    if uploaded_captures.is_file(subject.model):
        sizes = _("{layers} × {heads} heads, from a file.")
        count_only = ngettext("{count} token", "{count} tokens", count)
        sized = sizes.format(layers=capture.n_layers, heads=capture.n_heads)
        return sized, count_only.format(count=count)
    model = loaded_models.loaded_model(subject.model)
    counted = ngettext("{count} of {limit} token", "{count} of {limit} tokens", count)
    return describe(model), counted.format(count=count, limit=model.most_tokens)


def _aligned(first: Subject, last: Subject) -> list[tuple[list[int], list[int]]]:
    """Return the units of both sides that share text, which a file's units do by their names."""
    if not any(uploaded_captures.is_file(each.model) for each in (first, last)):
        return [
            (list(ours), list(theirs)) for ours, theirs in group_by_text(first.units, last.units)
        ]
    pairs: list[tuple[list[int], list[int]]] = []
    rest = list(range(len(last.units)))
    for i in range(len(first.units)):
        found = [j for j in first.counterparts([i], last) if j in rest]
        while found and rest[0] != found[0]:
            pairs.append(([], [rest.pop(0)]))
        pairs.append(([i], [rest.pop(0)] if found else []))
    return [*pairs, *(([], [j]) for j in rest)]


def _groups(capture: AttentionCapture) -> dict[str, Any]:
    """Return the groups of heads that share a key head, if there are any."""
    groups = shared_keys(capture)
    return {"shared": {"heads": capture.n_heads // len(groups)}} if groups else {}


def _chip(subject: Subject, index: int) -> dict[str, str]:
    capture, unit = subject.capture(), subject.units[index]
    ids = " ".join(map(str, capture.token_ids[unit.positions[0] : unit.positions[-1] + 1]))
    pieces = " ".join(capture.tokens[position] for position in unit.positions)
    typed = (capture.text, capture.text_pair or "")[unit.segment][slice(*unit.span)]
    kind = ("special " if unit.special else "") + ("second" if unit.segment else "")
    return {"label": unit.label, "title": f"{pieces} · {typed} · {ids}", "kind": kind}


@cached_per_language
def _strings() -> dict[str, Any]:
    return view_strings(_)
