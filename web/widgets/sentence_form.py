"""Form at the top of a page: the sentence and the two models."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from web.cache import uploaded_captures
from web.inference import compute_queue_ui
from web.language import _, plain
from web.model_name import model_name
from web.subject import Subject
from web.view_state import address, reconnect
from web.view_state.parameters import View
from web.widgets import sentence_box
from web.widgets.model_picker import draw_picker, load_picked_model, picked_or_file
from web.widgets.text_warnings import beyond_training, explain_pieces

Sides = tuple[Subject, Subject]
"""Left and right."""


def model_form(
    parameters: address.Parameters, options: Callable[[], None] | None = None, part: str = ""
) -> tuple[str, str] | None:
    """Read the URL, warn about unknown values, and draw the form.

    Returns the left and the right model; None, with the URL up to date, if there is no sentence.

    Args:
        part: Key of the fragment that draws all that depends on the first sentence; such a page has
            options.
    """
    st.session_state["part_is_enough"] = False
    address.restore(parameters)
    was_cut = sentence_box.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        sentence_box.first_box(partial(_typed, parameters, part) if part else None)
        if not part:
            sentence_box.second_button()
        for field in (View.left, View.right):
            draw_picker(field, label_visibility="collapsed", width=230, help=None)
        if options is not None:
            options()
    ready = sentence_box.second_box()
    left, right = (
        picked_or_file(field) if part else load_picked_model(field).name
        for field in (View.left, View.right)
    )
    if not ready:
        address.keep(parameters)
        return None
    st.session_state["part_is_enough"] = not was_cut
    return left, right


def _typed(parameters: address.Parameters, part: str) -> None:
    """A callback: rerun only the fragment if the rest of the page, and no lesson, needs a rerun."""
    sentence_box.clear_picks()
    is_rest_drawn = st.session_state.get("part_is_enough") and reconnect.all_drawn()
    rest_changes = st.session_state.get("lesson") or compute_queue_ui.is_busy_shown()
    is_text_only = sentence_box.fits() and address.only(parameters, "text", "picked")
    if is_rest_drawn and not rest_changes and is_text_only:
        st.rerun(part)


def sides_of(left_model: str, right_model: str) -> Sides:
    """Return the subjects of the session's sentence in two models, with their warnings drawn."""
    beyond_training(left_model, right_model)
    explain_pieces(left_model, right_model)
    left = Subject.from_session("left", left_model)
    right = Subject.from_session("right", right_model)
    _explain_unused_pair(left, right)
    return left, right


def _explain_unused_pair(*requests: Subject) -> None:
    """Explain that a decoder ignores the second sentence."""
    if not st.session_state["pair"].strip():
        return
    models = [r.model for r in requests if r.text_pair is None]
    for name in dict.fromkeys(m for m in models if not uploaded_captures.is_file(m)):
        st.caption(
            _(
                "{model} is a decoder, which reads no pairs: it gets only the first sentence."
            ).format(model=plain(model_name(name)))
        )
