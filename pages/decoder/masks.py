"""Masks: a sentence before and after one, and what it does, reaches and costs."""

import streamlit as st

from model import HeadlightError
from pages.decoder.address import MOST_TOKENS, PARAMETERS
from pages.decoder.chosen import Scene, scene
from pages.decoder.controls import ask_for_mask, ask_for_sentence
from pages.decoder.cost import cost
from pages.decoder.forms import forms
from pages.decoder.grids import before_and_after
from pages.decoder.layers import layers
from pages.decoder.reach import reach
from pages.decoder.weight import weight
from pages.shared import address, loading, present
from pages.shared.choices import choose
from pages.shared.language import _, in_words, plain
from pages.shared.turns import part

DRAW = {"weight": weight, "layers": layers, "reach": reach, "cost": cost, "forms": forms}


def masks() -> None:
    """Draw the part from top to bottom."""
    if ask_for_sentence():
        _masked()
    address.keep(PARAMETERS)


@part("masks")
def _masked() -> None:
    ask_for_mask()
    try:
        seen = scene()
        _say_cut(seen)
        before_and_after(seen)
        views = {
            "weight": _("Where the weight goes"),
            "layers": _("Layer by layer"),
            "reach": _("How far it reaches"),
            "cost": _("What attention costs"),
            "forms": _("Other forms"),
        }
        model = loading.loaded_model(seen.model)
        walk = present.Walk(model.n_layers, model.n_heads, "mask_")
        present.caption_line(seen.model, seen.text, walk=walk)
        DRAW[choose(_("Below"), views, "below", label_hidden=True)](seen)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    address.keep(PARAMETERS)


def _say_cut(seen: Scene) -> None:
    rest = seen.full.capture.left_out[0].split()
    if rest:
        st.warning(
            _(
                "A mask is shown on {most} tokens at most: left out is all from “{begin}” on."
            ).format(most=MOST_TOKENS, begin=plain(" ".join(rest[:6])[:100]))
        )
