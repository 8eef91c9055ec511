"""The selected head of each side: heatmap or lines, ranked tokens, exports.

It is one fragment: a click on a head or a token reruns only this part.
"""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.explore.controls import controls
from pages.explore.figure import head_figure
from pages.explore.head_tools import draw_head_tools
from pages.explore.ranks import ranks
from pages.explore.selected_head import selected
from pages.explore.training import training_sliders
from pages.explore.url import PARAMETERS
from viz import Side
from viz.style.theme import HEAD_COLOURS
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, plain
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.figure_sync import View, sync
from web.widgets.findings import explain_current
from web.widgets.head_picker import head_name
from web.widgets.head_summary import about_head
from web.widgets.sentence_box import pick, picked


@queue_fragment("details")
def details(left: Subject, right: Subject) -> None:
    """Draw the selected heads of both sides."""
    if any(Subject.from_session(side.side, side.model) != side for side in (left, right)):
        st.rerun()  # the same message contained a new sentence
    # The containers are always present: an element whose position changes is created again.
    with st.container():
        controls(left, right)
    with st.container():
        training_sliders((left, right))
    with st.container(key="finding_text"):  # a phone shows it first: see page.css
        if not explain_current("explore", PARAMETERS):  # a text in its place: nothing moves
            st.caption(
                _(
                    "Each small square is one head. Select one: the maps show where each "
                    "token attends."
                )
            )
    sides = (left, right)
    heads = {s.side: s.weights(*selected(s)) for s in sides}
    top = _top(*heads.values())
    rows = max(len(view.units) for view in sides)
    # Draw row by row, so that the rows of both sides stay aligned.
    with present.stage("head"):
        columns = _in_columns(sides)
    for view, column in columns:
        with column:
            head_figure(view, left, heads[view.side], top, rows)
    for view, column in _in_columns(sides):
        with column:
            first, *others = about_head(view, *selected(view))
            named = f"**{plain(view.name)} · {head_name(*selected(view))}** · {first}"
            st.caption("  \n".join([named, *others]))
    if picked(left, left):
        for view, column in _in_columns(sides):
            with column:
                ranks(view, left, heads[view.side])
    for view, column in _in_columns(sides):
        with column:
            draw_head_tools(view, heads[view.side], top)
    _compare_implementations(left, right)
    st.caption(
        _(
            "**Attention is not an explanation**: a weight shows where a head looks, "
            "not why the model decides."
        )
    )
    sync(_view(left, right, top), partial(_pick_row, left, right))
    _caption(left, right)
    address.keep(PARAMETERS)


def _in_columns(sides: Iterable[Subject]) -> Iterator[tuple[Subject, DeltaGenerator]]:
    """Pair each side with its column."""
    return zip(sides, st.columns(2), strict=True)


def _top(*heads: np.ndarray) -> float:
    """Return the weight of the darkest colour, equal on both sides."""
    if st.session_state["range"] == "unit":
        return 1.0
    return max(max((float(weights.max()) for weights in heads if weights.size), default=1.0), 1e-4)


def _compare_implementations(left: Subject, right: Subject) -> None:
    """Draw the largest difference between our encoder with MiniLM's weights and the library's."""
    ours, theirs = left.capture(), right.capture()
    if {ours.model, theirs.model} == {"scratch-minilm", "minilm"}:
        difference = float(np.abs(ours.weights - theirs.weights).max())
        st.caption(
            _(
                "Largest difference between the two models, over all {count} heads: {value:.2g}"
            ).format(count=ours.n_layers * ours.n_heads, value=difference)
        )


def _view(left: Subject, right: Subject, top: float) -> View:
    heads: list[tuple[int, int]] = []
    if st.session_state["view"] == "lines" and st.session_state["overlaid"]:
        heads = [selected(left), *map(tuple, st.session_state["overlaid"])]
    return View(
        selected={view.side: selected(view) for view in (left, right)},
        linked=st.session_state["linked"],
        picked={view.side: picked(view, left) for view in (left, right)},
        top=top,
        sqrt=st.session_state["scale"] == "sqrt",
        overlaid=[(*head, colour) for head, colour in zip(heads, HEAD_COLOURS, strict=False)],
    )


def _caption(left: Subject, right: Subject) -> None:
    """Set the caption of present mode; arrow keys use the sizes of the larger model."""
    captures = (left.capture(), right.capture())
    layers = max(capture.n_layers for capture in captures)
    heads = max(capture.n_heads for capture in captures)
    present.caption_line(
        left.name, right.name, left.capture().text, walk=present.Walk(layers, heads)
    )


def _pick_row(left: Subject, right: Subject) -> None:
    """A callback: pick the clicked row of a heatmap."""
    event = st.session_state["sync"].picked
    sides: dict[Side, Subject] = {"left": left, "right": right}
    pick(event["units"], sides[event["side"]], left)
