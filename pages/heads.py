"""Heads: which head does what, on this sentence and over a corpus, and does it matter?"""

import streamlit as st

from pages.common import link, sentence
from pages.common.i18n import _
from pages.common.sides import SIDES, Recipe, pick_model
from pages.roles.address import PARAMETERS, PARTS
from pages.roles.change import change
from pages.roles.corpus import corpus
from pages.roles.labels import labels
from pages.roles.links import links
from pages.roles.map import head_map
from pages.roles.tuned import tuned

DRAW = {
    "labels": labels,
    "links": links,
    "map": head_map,
    "corpus": corpus,
    "change": change,
    "tuned": tuned,
}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in link.restore(PARAMETERS):
        st.warning(notice)
    ready = sentence.ask()
    models = []
    names = {"left": _("Left model"), "right": _("Right model")}
    for side, column in zip(SIDES, st.columns(2), strict=True):
        with column:
            models.append(pick_model(side, names[side]))
    if not ready:
        link.keep(PARAMETERS)
        return
    part(*(Recipe.of_session(s, m.name) for s, m in zip(SIDES, models, strict=True)))


# The choice of the part is inside: from a head in one part a click leads to it in another.
@st.fragment(key="heads")
def part(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the choice of the part, and the part."""
    names = {
        "labels": _("What heads do"),
        "links": _("Which head links X to Y?"),
        "map": _("Map"),
        "corpus": _("Grammar over a corpus"),
        "change": _("Does it matter?"),
        "tuned": _("Base and fine-tuned"),
    }
    st.segmented_control(
        _("Part"),
        PARTS,
        format_func=names.__getitem__,
        key="heads_part",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    DRAW[st.session_state["heads_part"]](left_side, right_side)
    link.keep(PARAMETERS)


main()
