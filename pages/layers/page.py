"""The Layers page: attention by depth, between models, and between sentences."""

import streamlit as st

from pages.layers.compare import compare
from pages.layers.kinds import chosen_kind, named, shows_one_head
from pages.layers.logit_lens import logit_lens
from pages.layers.stream import stream
from pages.layers.through_layers import through_layers
from pages.layers.url import Layers
from web.inference.compute_queue_ui import queue_fragment
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.sentence_form import model_form, sides_of

DRAW = {"layers": through_layers, "difference": compare, "lens": logit_lens, "stream": stream}


def main() -> None:
    """Draw the page from top to bottom."""
    models = model_form(Layers.fields)
    if models is not None:
        part(*sides_of(*models))


@queue_fragment("depth")
def part(left: Subject, right: Subject) -> None:
    """Draw the picker of a part, and the part, which draws its own pickers in the same row."""
    row = st.container(horizontal=True, vertical_alignment="center", key="layers_row")
    with row:
        chosen = Layers.part.draw()
    DRAW[chosen](row, left, right)
    captures = [side.capture() for side in (left, right)]
    heads = max(each.n_heads for each in captures) if shows_one_head() else 1
    layers = max(each.n_layers for each in captures)
    # The other parts show all layers.
    walk = present.Walk(layers, heads) if chosen in ("layers", "difference") else None
    shown = named(chosen_kind()) if chosen == "layers" and heads == 1 else ""
    present.caption_line(shown, left.name, right.name, left.text, walk=walk)
    address.keep(Layers.fields)


main()
