"""A capture on screen: its tokens, all heads, and the selected head of one or two subjects.

The browser draws a click at once and reports it: see components/capture_view.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import streamlit as st

from model import HeadlightError
from model.analysis.align import group_by_text
from model.version import citation, version
from viz import shortened
from viz.canvas import FIRST_SIDE, WHOLE
from viz.view_payload import Part, subject_part, view_payload, view_strings
from web import capture_part as plain_part
from web import components
from web.cache import loaded_models, uploaded_captures
from web.cache.blob_store import store
from web.capture_part import EVERYTHING
from web.components import edits
from web.inference.compute_queue_ui import report_busy
from web.inference.operations import array_turn
from web.language import _, listed, ngettext, sentences
from web.server.capture_upload import UPLOAD_URL
from web.server.static_files import PLOTLY_URL
from web.subject import Subject
from web.widgets.export import stem
from web.widgets.glossary import head_meaning, introduction, terms
from web.widgets.head_comparison import compared_units
from web.widgets.head_picker import layers_without_attention
from web.widgets.model_picker import describe
from web.widgets.text_warnings import warn_of_left_out

COMPARED_IN_BROWSER = 500_000
"""Weights of all heads of a side, above which a click waits for the server's most similar head."""


def capture_view(
    *subjects: Subject | Part,
    key: str = "capture",
    show: Sequence[str] = EVERYTHING,
    upload: bool = False,
    of: Sequence[Subject] = (),
    selected: Sequence[tuple[int, int]] = (),
    framed: tuple[int, int] | None = None,
) -> None:
    """Draw one or two subjects, or a hint if all tokens are hidden.

    Args:
        subjects: Subjects, or what :func:`part_of` and :func:`capture_part` return.
        key: The same as the one of :func:`capture_state`, which must follow.
        upload: Whether a file of weights can be dropped.
        of: The subjects of parts that :func:`part_of` returned.
        selected: Layer and head of each subject that is drawn first, if it is known.
        framed: Query and key of the cell that the page speaks of, in units of the one subject.
    """
    known = [each for each in subjects if isinstance(each, Subject)] or list(of)
    warn_of_left_out(*known)
    if not all(each.units for each in known):
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
        return
    groups = None
    if len(known) == 2:
        first, last = known
        same_ids = first.capture().token_ids == last.capture().token_ids
        groups = None if same_ids and first.labels == last.labels else _aligned(first, last)
    parts = [
        part_of(each, whole=whole) if isinstance(each, Subject) else each
        for each, whole in zip_longest(subjects, selected)
    ]
    meta: dict[str, Any] = {
        "strings": {
            **view_strings(_),
            "a_head": head_meaning(),
            "mark": terms()[listed(("[CLS]", "[SEP]"))],
            "hint": _("Select a word above."),
        }
    }
    if framed is not None:
        meta["framed"] = framed
    if upload:
        meta["upload"] = UPLOAD_URL
        meta["strings"]["introduction"] = introduction()
    if len(subjects) == 2 and all(isinstance(each, Subject) for each in subjects):
        meta |= _compared(*known)
    payload = view_payload(parts, groups, key=key, show=list(show), **meta)
    components.capture_view(payload, key=f"view_{key}")


def capture_state(
    selection: Mapping[str, Any],
    on_selected: Callable[[Mapping[str, Any]], None],
    key: str = "capture",
) -> None:
    """Send the selection to the browser, and receive what is selected there.

    Args:
        selection: Fields of store.js, such as ``left``: [layer, head]. Others stay in the browser.
        on_selected: A callback. It gets the changed fields; after a click on a head also ``side``,
            its side, and ``paired``, whether the other side should follow.
    """
    state = f"state_{key}"
    on_edited = report_busy(lambda: on_selected(edits.received(state)))
    components.capture_state({"key": key, "selection": selection}, key=state, on_edited=on_edited)


capture_part = partial(plain_part.capture_part, translate=_, store=store, plotly=PLOTLY_URL)
"""Returns the part of a capture that belongs to no subject, such as of a translation."""


def part_of(
    subject: Subject,
    weights: np.ndarray | None = None,
    *,
    allowed: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    title: str = "L0·H0",
    top: float = 1.0,
    whole: tuple[int, int] | None = None,
) -> Part:
    """Return the part of a subject.

    Args:
        weights: What is drawn instead of the heads, from 0 to 1: (rows, columns, U, U).
        allowed: The masks of these weights, boolean, (rows or 1, U, U); None if nothing is hidden.
        names: A name for each row, if a row has one column; None for "L0·H0".
        notes: A number below each of these names, or none.
        title: Title of the figure after the model; "L0·H0" in it becomes the selected name.
        top: The weight with the darkest colour.
        whole: Layer and head that the message has exactly, also of a long sentence.
    """
    capture, units = subject.capture(), subject.units
    own = weights is None
    weights = subject.all_weights() if weights is None else weights
    unit_names = [unit.label for unit in units]
    keys = [*unit_names, "sink"] if weights.shape[-1] > len(units) else None
    about, count = _about(subject)
    with array_turn(weights.size):
        return subject_part(
            weights,
            unit_names,
            key_names=keys,
            allowed=subject.allowed() if own else allowed,
            side=subject.side,
            hue=subject.hue,
            title=f"{subject.name} · {title}",
            translate=_,
            store=store,
            whole=whole,
            model=subject.name,
            about=about,
            meaning=terms().get(subject.name, ""),
            sentence=shortened(subject.sentence, 10_000),
            description=_(
                "All heads of {model}: {layers} layers of {heads} heads. The arrow keys "
                "change the layer (up, down) and the head (left, right)."
            ).format(model=subject.name, layers=capture.n_layers, heads=capture.n_heads),
            special=subject.rests,
            without=list(capture.without_attention()) if own else [],
            **({} if names is None else {"names": list(names)}),
            **({"notes": list(notes)} if notes else {}),
            top=round(top * WHOLE),
            tokens={
                "label": _("Tokens of {model}").format(model=subject.name),
                "count": count,
                "chips": [_chip(subject, index) for index in range(len(units))],
            },
            plotly=PLOTLY_URL,
            file=f"headlight_{stem(subject.name, 'L0-H0', capture.text.lower())}",
            origin={"headlight": version(), "citation": citation()},
        )


def _about(subject: Subject) -> tuple[str, str]:
    """Return what the model is, and how many tokens it reads; a file of weights has no model."""
    capture, count = subject.capture(), len(subject.capture().tokens)
    if uploaded_captures.is_file(subject.model):
        sizes = _("{layers} layers (L) × {heads} heads (H), from a file.")
        counted = ngettext("{count} token", "{count} tokens", count).format(count=count)
        return sizes.format(layers=capture.n_layers, heads=capture.n_heads), counted
    model = loaded_models.loaded_model(subject.model)
    counted = ngettext("{count} token (at most {limit})", "{count} tokens (at most {limit})", count)
    counted = counted.format(count=count, limit=model.most_tokens)
    flags = capture.special if len(capture.special) else [False] * count
    added = listed(dict.fromkeys(t for t, own in zip(capture.tokens, flags, strict=True) if own))
    if added:
        text = _("{counted}; the model adds special tokens around the text: {tokens}")
        counted = text.format(counted=counted, tokens=added)
    # The end may be cut.
    about = sentences(layers_without_attention(capture), describe(model))
    return about, counted


def _aligned(first: Subject, last: Subject) -> Sequence[tuple[Sequence[int], Sequence[int]]]:
    """Return the units of both sides that share text, which a file's units do by their names."""
    if not any(uploaded_captures.is_file(each.model) for each in (first, last)):
        return group_by_text(first.units, last.units)
    pairs: list[tuple[list[int], list[int]]] = []
    rest = list(range(len(last.units)))
    for i in range(len(first.units)):
        found = [j for j in first.counterparts([i], last) if j in rest]
        while found and rest[0] != found[0]:
            pairs.append(([], [rest.pop(0)]))
        pairs.append(([i], [rest.pop(0)] if found else []))
    return [*pairs, *(([], [j]) for j in rest)]


def _compared(first: Subject, last: Subject) -> dict[str, Any]:
    """Return on which units the browser finds the most similar head, if it gets their weights."""
    if max(len(first.units), len(last.units)) > FIRST_SIDE:
        return {}
    try:
        pairs = compared_units(first, last)
    except HeadlightError:  # nothing is similar
        return {}
    heads = max(each.capture().n_layers * each.capture().n_heads for each in (first, last))
    return {"compared": pairs} if heads * len(pairs) ** 2 <= COMPARED_IN_BROWSER else {}


def _chip(subject: Subject, index: int) -> dict[str, str]:
    capture, unit = subject.capture(), subject.units[index]
    ids = " ".join(map(str, capture.token_ids[unit.positions[0] : unit.positions[-1] + 1]))
    pieces = " ".join(capture.tokens[position] for position in unit.positions)
    typed = (capture.text, capture.text_pair or "")[unit.segment][slice(*unit.span)]
    kind = ("special " if unit.special else "") + ("second" if unit.segment else "")
    title = _("Token: {token}. In the sentence: {typed}. Number in the vocabulary: {number}.")
    if unit.special:
        title = _("Token: {token}, which the model adds. Number in the vocabulary: {number}.")
    shown = title.format(token=pieces, typed=typed, number=ids)
    return {"label": unit.label, "title": shown, "kind": kind}
