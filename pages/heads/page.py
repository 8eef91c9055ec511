"""Heads: which head does what, on this sentence and over a corpus, and does it matter?"""

import streamlit as st

from pages.heads.address import PARAMETERS, PARTS
from pages.heads.change import change
from pages.heads.corpus import corpus
from pages.heads.labels import labels
from pages.heads.links import links
from pages.heads.map import head_map
from pages.heads.tuned import tuned
from pages.shared import address, sentence
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from pages.shared.recipe import SIDES, Recipe

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
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    ready = sentence.ask()
    models = []
    names = {"left": _("Left model"), "right": _("Right model")}
    for side, column in zip(SIDES, st.columns(2), strict=True):
        with column:
            models.append(pick_model(side, names[side]))
    if not ready:
        address.keep(PARAMETERS)
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
    address.keep(PARAMETERS)


main()
