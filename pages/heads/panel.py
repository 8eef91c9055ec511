"""The selected head: its weights, what it is called and why, and where to go from it."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from model.analysis.intervention import Intervention
from pages.heads import begin
from pages.heads.beyond import draw_on_random, said_on_random
from pages.heads.selection import select, selected, selected_side
from pages.shared.about_head import about_head
from pages.shared.address import link
from pages.shared.closeup import closeup
from pages.shared.head_picker import head_name
from pages.shared.language import _
from pages.shared.notebook import head_lines
from pages.shared.parameters import write_text
from pages.shared.recipe import Recipe, Shown
from pages.shared.source import show_source
from pages.shared.take_away import take_away

EXPLORE = Path(__file__).parents[1] / "explore" / "page.py"


def panel(left: Shown, right: Shown) -> None:
    """Draw the selected head."""
    shown = selected_side(left, right)
    layer, head = selected(shown)
    name = head_name(layer, head)
    capture = shown.capture
    if not shown.units:
        st.info(_("Only special tokens are left, and they are hidden."))
        return
    closeup(shown, shown.weights(capture.weights[layer, head]), name, "panel", layer=layer)
    known = [*about_head(shown.recipe, layer, head), *said_on_random(shown, layer, head)]
    st.markdown("  \n".join(known))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _("Switch {head} off").format(head=name),
            icon=":material/power_settings_new:",
            key="switch_off",
            type="primary",
            on_click=partial(_switch_off, shown.recipe, layer, head),
        )
        st.page_link(
            EXPLORE,
            label=_("In Explore"),
            icon=":material/visibility:",
            query_params=link(_as_head(shown, layer, head)),
        )
        take_away("panel", head_lines(shown.recipe, layer, head), shown.recipe)
    draw_on_random(shown, layer, head)
    show_source("panel", [st.session_state["heads_part"], "head"], shown.recipe)


def _switch_off(recipe: Recipe, layer: int, head: int) -> None:
    """A callback: to the part where heads are switched off, with this one alone."""
    state = st.session_state
    state["off"], state["masked"], state["heads_part"] = [(layer, head)], [], "change"
    select(recipe.side, layer, head)
    begin.select_most_moved(
        recipe, replace(recipe, change=Intervention(frozenset({(layer, head)}), state["off_how"]))
    )


def _as_head(shown: Shown, layer: int, head: int) -> dict[str, str]:
    """The address of this head on the Explore page."""
    recipe, state = shown.recipe, st.session_state
    address = {
        "text": write_text(recipe.text),
        "left": state["left"],
        "right": state["right"],
        "layer": str(layer),
        "head": str(head),
    }
    return address | ({"pair": write_text(recipe.text_pair)} if recipe.text_pair else {})
