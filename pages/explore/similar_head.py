"""The head of the other model that attends most like the selected head."""

import streamlit as st

from model import HeadlightError
from pages.explore.selected_head import select, selected, unlink_sides
from web.inference.compute_queue_ui import report_busy
from web.language import _, in_words, plain
from web.subject import Subject
from web.widgets.head_comparison import most_similar, no_correspondence
from web.widgets.head_picker import head_name


def similar_head(left: Subject, right: Subject) -> None:
    """Draw the button that finds the head.

    The search begins at the side on which a head was clicked last.
    """
    from_right = st.session_state.get("clicked_side") == "right"
    one, other = (right, left) if from_right else (left, right)
    if one.name == other.name:
        return
    st.button(
        _("Find similar head"),
        icon=":material/compare_arrows:",
        key="similar",
        type="tertiary",
        help=_("{note} This finds {other}'s head that attends most like {head} of {one}.").format(
            note=no_correspondence(),
            other=plain(other.name),
            head=head_name(*selected(one)),
            one=plain(one.name),
        ),
        on_click=_find,
        args=(one, other),
    )


def similarity(left: Subject, right: Subject) -> None:
    """Draw the result of the search while its two heads are on screen."""
    found = st.session_state.get("similar_found")
    if found and found["heads"] == {view.side: selected(view) for view in (left, right)}:
        st.caption(found["text"], width="content")


@report_busy
def _find(one: Subject, other: Subject) -> None:
    """A callback: select the similar head on the other side."""
    here, there = selected(one), selected(other)
    try:
        there, distance = most_similar(one, here, other)
    except HeadlightError as error:
        text = plain(in_words(error))
    else:
        text = _("Difference: {distance:.2f} (0: equal, 0.83: the largest possible)").format(
            distance=distance
        )
        if st.session_state["linked"]:
            st.session_state["linked"] = False
            unlink_sides()
        select(one.side, *here)
        select(other.side, *there)
    st.session_state["similar_found"] = {
        "heads": {one.side: here, other.side: there},
        "text": text,
    }
    st.rerun()  # the whole page: "Sides move together" is outside this fragment
