"""What depends on the selected heads: actions, training, what is known about each head.

It is one fragment: a click on a head or a token reruns only this part.
"""

import streamlit as st

from pages.explore.actions import actions
from pages.explore.selection import capture_state, selected, wanted
from pages.explore.training import training_sliders
from pages.explore.url import PARAMETERS
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, plain
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.findings import explain_current
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name
from web.widgets.head_summary import about_head


@queue_fragment("details")
def details(left: Subject, right: Subject) -> None:
    """Draw the details of both sides."""
    if any(Subject.from_session(side.side, side.model) != side for side in (left, right)):
        st.rerun()  # the same message contained a new sentence
    capture_state(left, right)
    with st.container(key="explained"):  # on a phone; a laptop has it above
        explain_current("explore", PARAMETERS)
    actions(left, right)
    training_sliders((left, right))
    st.markdown(
        _(
            "**Attention is not an explanation**: a weight shows what a head attends to, "
            "not why the model decides."
        )
    )
    for side, column in zip((left, right), st.columns(2), strict=True):
        with column:
            _about(side)
    meant = _("Each picture is one head: rows attend to columns; strong colour: much attention.")
    present.caption_line(meant)
    address.keep(PARAMETERS)


def _about(side: Subject) -> None:
    """Draw what is known about a side's head, or that the model has no such head."""
    head = head_name(*selected(side))
    first, *others = about_head(side, *selected(side))
    if wanted(side.side) != selected(side):
        missing = head_name(*wanted(side.side))
        text = _("{model} has no {wanted}; {head} is shown.")
        others.append(text.format(model=plain(side.name), wanted=missing, head=head))
    about = underline_terms("  \n".join([first, *others]))
    st.caption(f"**{plain(side.name)} · {head}** · {about}")
