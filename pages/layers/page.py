"""The Layers page: attention by depth, between models, and between sentences."""

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.layers.compare import compare
from pages.layers.kinds import shows_one_head
from pages.layers.logit_lens import logit_lens
from pages.layers.stream import stream
from pages.layers.through_layers import through_layers
from pages.layers.url import Layers
from web.inference.compute_queue_ui import queue_fragment
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.sentence_form import model_form, sides_of

DRAW: Mapping[str, Callable[[DeltaGenerator, Subject, Subject], str]] = {
    "layers": through_layers,
    "difference": compare,
    "lens": logit_lens,
    "stream": stream,
}
"""What draws a part, and returns what the caption of present mode says of it."""


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
    said = DRAW[chosen](row, left, right)
    if chosen in ("layers", "difference"):
        captures = [side.capture() for side in (left, right)]
        heads = max(each.n_heads for each in captures) if shows_one_head() else 1
        walk = present.Walk(max(each.n_layers for each in captures), heads)
        present.caption_line(said, left.name, right.name, left.text, walk=walk)
    else:  # all layers are in the picture
        present.caption_line(said or left.text)
    address.keep(Layers.fields)


main()
