"""The mask, and one head without and with it."""

import numpy as np
import streamlit as st
import torch

from model.analysis.masking import MaskedRun
from pages import components
from pages.decoder.address import MOST_PADDING, MOST_TOKENS, PADDED, pack
from pages.decoder.chosen import Scene, name_of
from pages.decoder.notebook import head_lines
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.head_picker import head_name
from pages.shared.language import _, ngettext, plain
from pages.shared.source import show_source
from pages.shared.take_away import stem, take_away
from viz import attention_heatmap, shortened
from viz.figures.heatmap import matrix_height
from viz.style.figure import MAX_ROOM, below, label_room
from viz.style.theme import SIDE_RGB

TITLE = 50
"""Pixels above the cells of a heatmap, and of the mask beside it."""


def before_and_after(seen: Scene) -> None:
    """Draw the mask, the head without it, the head with it, and what happened to the rows."""
    grid, before, after = st.columns(3)
    with grid:
        _grid(seen)
    with after:  # first: it is what has changed
        _head(seen, "after", name_of(seen.chosen), seen.masked)
    with before:
        _head(seen, "before", _("no mask"), seen.full)
    _say_empty(seen)
    with st.container(key="mask_counts"):
        _say_rows(seen)
    with st.container(horizontal=True, key="masks_taken"):
        take_away("masks", head_lines(seen), figure="after")
        leak = ["leak"] if st.session_state["below"] == "weight" else []
        show_source("masks", ["masks", *leak])


def _grid(seen: Scene) -> None:
    room = below(min(label_room(seen.labels), MAX_ROOM))  # as the heatmaps beside it
    components.mask(
        {
            "labels": seen.labels,
            "rows": ["".join("01"[cell] for cell in row) for row in seen.asked.tolist()],
            "version": st.session_state.get("painted", 0),
            "height": matrix_height(len(seen.labels)) - TITLE - room,
            "below": room,
            "rgb": SIDE_RGB["left"],
            "strings": {
                "title": _("Mask: {name}").format(name=name_of(seen.chosen)),
                "label": _(
                    "Mask, queries down and keys across; arrow keys move, the space bar allows or "
                    "hides a cell"
                ),
                "allowed": _("allowed"),
                "hidden": _("hidden"),
                "hint": _("Click or drag over cells to draw your own"),
            },
        },
        key="mask_grid",
        on_painted=_painted,
    )


def _painted() -> None:
    """Remember what was drawn upon the mask that was shown; a callback."""
    sent, state = st.session_state["mask_grid"].painted, st.session_state
    rows = [[cell == "1" for cell in row] for row in sent["rows"]]
    count = len(rows)
    if count > MOST_TOKENS + MOST_PADDING or any(len(row) != count for row in rows):
        return
    if state["mask_kind"] not in PADDED:
        state["pads"] = 0
    state["drawn_mask"], state["mask_kind"] = pack(torch.tensor(rows)), "drawn"
    state["inverted"] = False
    state["painted"] = int(sent["version"])


def _head(seen: Scene, key: str, which: str, run: MaskedRun) -> None:
    name, shown = head_name(seen.layer, seen.head), run.capture.weights[seen.layer, seen.head]
    query, other = np.unravel_index(shown.argmax(), shown.shape)
    labels = seen.labels
    alt = _("{what}; strongest: {query} to {key}, {weight:.4f}.").format(
        what=f"{seen.model} · {name}, {which}",
        query=labels[query],
        key=labels[other],
        weight=float(shown[query, other]),
    )
    figure = attention_heatmap(
        shown,
        labels,
        title=f"{name}, {which}",
        subtitle=shortened(f"{seen.model}: {seen.text}", 40),
        side="left",
        allowed=run.capture.allowed[seen.layer],
        text_colour=THEME_TEXT,
        translate=_,
    )
    chart(figure, key, stem(seen.model, name, which, seen.text.lower()), alt)


def _say_empty(seen: Scene) -> None:
    """Say which queries have no key left, and what became of them."""
    if not seen.empty:
        return
    names = [plain(seen.labels[row]) for row in seen.empty]
    more = len(names) - 6
    shown = ", ".join(names[:6]) + (_(" and {count} more").format(count=more) if more > 0 else "")
    st.warning(
        ngettext(
            "**{names}** has no key left: every score would be −∞, and the softmax 0/0, which is "
            "no number. Headlight refuses such a row; here the token is let see itself, so that "
            "the encoder can run at all.",
            "**{names}** have no key left: every score would be −∞, and the softmax 0/0, which is "
            "no number. Headlight refuses such rows; here these tokens are let see themselves, so "
            "that the encoder can run at all.",
            len(names),
        ).format(names=shown)
    )


def _say_rows(seen: Scene) -> None:
    """Say how many cells survive, what stood on the others, and what rows sum to."""
    per_row = seen.asked.sum(dim=-1)
    before = seen.full.capture.weights[seen.layer, seen.head]
    after = seen.masked.capture.weights[seen.layer, seen.head].sum(axis=-1)
    taken = float(before[~seen.mask.numpy()].sum() / len(before))
    st.markdown(
        _(
            "**{count} of {all} cells survive** ({share:.1%}), {least} to {most} a row. On those "
            "that are hidden stood {taken:.1%} of this head's weight; now they have exactly 0, and "
            "rows sum to {low:.6f} … {high:.6f}."
        ).format(
            count=int(seen.asked.sum()),
            all=seen.asked.numel(),
            share=float(seen.asked.double().mean()),
            least=int(per_row.min()),
            most=int(per_row.max()),
            taken=taken,
            low=float(after.min()),
            high=float(after.max()),
        )
    )
