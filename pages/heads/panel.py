"""The selected head: its weights, its labels, and links to other views."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from model.analysis.intervention import Intervention
from pages.heads import examples
from pages.heads.general_behaviour import describe_on_random, draw_on_random
from pages.heads.selection import select, selected, selected_side
from pages.heads.url import Heads
from web.language import _
from web.subject import Subject
from web.view_state.address import link
from web.view_state.examples import put_back
from web.view_state.field import write_text
from web.widgets.head_cells import closeup
from web.widgets.head_picker import head_name, layers_without_attention
from web.widgets.head_summary import about_head
from web.widgets.view_code import head_code

EXPLORE = Path(__file__).parents[1] / "explore" / "page.py"


def panel(left: Subject, right: Subject) -> None:
    """Draw the selected head with its actions."""
    _head(selected_side(left, right))
    _actions(selected_side(left, right))


@contextmanager
def beside_panel(left: Subject, right: Subject, widths: Sequence[int]) -> Iterator[None]:
    """Draw what the context draws, and the selected head beside it; on a phone above it."""
    table, selected_head = st.columns(widths)
    actions = st.columns(widths)[1]
    with selected_head, st.container(key="panel_above"):
        _head(selected_side(left, right))
    with table:
        yield
    with actions:
        _actions(selected_side(left, right))


def _head(view: Subject) -> None:
    """Draw a sentence on the head, its weights, and further sentences."""
    if not view.units:
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
        return
    layer, head = selected(view)
    if layer in view.capture().without_attention():
        st.info(layers_without_attention(view.capture()))
        return
    first, *others = about_head(view, layer, head)
    st.markdown(first)
    weights = view.between_units(view.drawn.weights[layer, head])
    code = head_code(view, layer, head)
    closeup(view, weights, head_name(layer, head), "panel", layer=layer, code=code)
    st.markdown("  \n".join([*others, *describe_on_random(view, layer, head)]))


def _actions(view: Subject) -> None:
    """Draw what can be done with the head, and its pattern on random tokens."""
    if not view.units:
        return
    layer, head = selected(view)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _("Switch {head} off").format(head=head_name(layer, head)),
            icon=":material/power_settings_new:",
            key="switch_off",
            type="primary",
            on_click=partial(_switch_off, view, layer, head),
        )
        st.page_link(
            EXPLORE,
            label=_("In Explore"),
            icon=":material/visibility:",
            query_params=link(_explore_link(view, layer, head)),
        )
    draw_on_random(view, layer, head)


def _switch_off(view: Subject, layer: int, head: int) -> None:
    """Open the part that switches heads off, with this head alone; a callback."""
    Heads.off.value, Heads.masked.value, Heads.part.value = [(layer, head)], [], "change"
    put_back()
    select(view.side, layer, head)
    examples.select_most_changed_head(
        view, replace(view, change=Intervention(frozenset({(layer, head)}), Heads.how.value))
    )


def _explore_link(view: Subject, layer: int, head: int) -> dict[str, str]:
    """Return the URL parameters of this head on the Explore page."""
    address = {
        "text": write_text(view.text),
        "left": Heads.left.value,
        "right": Heads.right.value,
        "layer": str(layer),
        "head": str(head),
    }
    return address | ({"pair": write_text(view.text_pair)} if view.text_pair else {})
