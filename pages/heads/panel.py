"""The layout of a part, and the selected head: its weights, its labels and its actions."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.intervention import Intervention
from pages.heads import examples
from pages.heads.selection import select, selected, selected_side
from pages.heads.url import Heads
from web.language import _
from web.subject import Subject
from web.view_state.address import link
from web.view_state.examples import put_back
from web.view_state.field import write_indices, write_text
from web.widgets import present
from web.widgets.capture_view import capture_state, capture_view
from web.widgets.export import figure_tools
from web.widgets.glossary import underline_terms
from web.widgets.head_difference import select_picked
from web.widgets.head_picker import head_name, layers_without_attention
from web.widgets.head_summary import about_head
from web.widgets.view_code import head_code

EXPLORE = Path(__file__).parents[1] / "explore" / "page.py"


def layout() -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return the containers of a sentence, of controls and tables, and of a picture beside them.

    On a phone, the picture is above the controls.
    """
    sentence = present.headline()
    controls, beside = st.columns((1, 1))
    return sentence, controls, beside.container(key="panel_above")


def panel(
    left: Subject,
    right: Subject,
    picked: list[int] | None = None,
    framed: tuple[int, int] | None = None,
) -> None:
    """Draw the selected head, what is known about it, and its actions.

    Args:
        picked: Units of the left side that the link to Explore selects.
        framed: Query and key of the cell that the headline speaks of, in units of the shown side.
    """
    view = selected_side(left, right)
    layer, head = selected(view)
    if layer in view.capture().without_attention():
        st.info(layers_without_attention(view.capture()))
        return
    with present.stage("panel"):
        capture_view(view, key="panel", show=("head",), framed=framed)
    if not view.units:
        return
    capture_state({"left": [layer, head]}, select_picked, key="panel")
    says_grammar = Heads.part.value != "corpus"  # whose headline says it
    lines = about_head(view, layer, head, grammar=says_grammar)
    st.markdown(underline_terms("  \n".join(lines)))
    _actions(view, layer, head, picked or [])


def _actions(view: Subject, layer: int, head: int, picked: list[int]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if Heads.part.value != "change" or (layer, head) not in (Heads.off.value or ()):
            st.button(
                _("Switch {head} off").format(head=head_name(layer, head)),
                icon=":material/toggle_off:",
                key="switch_off",
                type="primary",
                on_click=partial(_switch_off, view, layer, head),
            )
        st.page_link(
            EXPLORE,
            label=_("In Explore"),
            icon=":material/visibility:",
            query_params=link(_explore_link(view, layer, head, picked)),
        )
        figure_tools("panel", head_code(view, layer, head), view, figure=f"heatmap_{view.side}")


def _switch_off(view: Subject, layer: int, head: int) -> None:
    """Open the part that switches heads off, with this head alone; a callback."""
    Heads.off.value, Heads.masked.value, Heads.part.value = [(layer, head)], [], "change"
    put_back()
    select(view.side, layer, head)
    examples.select_most_changed_head(
        view, replace(view, change=Intervention(frozenset({(layer, head)}), Heads.how.value))
    )


def _explore_link(view: Subject, layer: int, head: int, picked: list[int]) -> dict[str, str]:
    """Return the URL parameters of this head on the Explore page."""
    address = {
        "text": write_text(view.text),
        "left": Heads.left.value,
        "right": Heads.right.value,
        "layer": str(layer),
        "head": str(head),
    }
    address |= {"pair": write_text(view.text_pair)} if view.text_pair else {}
    return address | ({"picked": write_indices(picked)} if picked else {})
