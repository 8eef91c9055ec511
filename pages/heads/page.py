"""The Heads page: links between words, labels, heads switched off, grammar, fine-tuning."""

import streamlit as st

from pages.heads import examples
from pages.heads.change import change
from pages.heads.grammar import grammar
from pages.heads.labels import labels
from pages.heads.links import links
from pages.heads.tuned import tuned
from pages.heads.url import Heads
from web.inference import compute_queue_ui
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.sentence_form import model_form, sides_of

DRAW = {"links": links, "labels": labels, "change": change, "corpus": grammar, "tuned": tuned}


def main() -> None:
    """Draw the page from top to bottom."""
    if address.is_entering():
        examples.select_explored()
        address.restore(Heads.fields)
        if "left" not in st.query_params:  # a link chooses the models
            examples.show_tuned_pair()
    models = model_form(Heads.fields)
    if models is not None:
        part(*sides_of(*models))


# The part picker is inside the fragment: a click on a head can open it in another part.
@compute_queue_ui.queue_fragment("heads")
def part(left: Subject, right: Subject) -> None:
    """Draw the part picker and the chosen part."""
    chosen = Heads.part.draw(on_change=examples.open_part)
    DRAW[chosen](left, right)
    layers = max(view.capture().n_layers for view in (left, right))
    heads = max(view.capture().n_heads for view in (left, right))
    described = (*(view.name for view in (left, right)), left.text)
    present.caption_line(Heads.part.names()[chosen], *described, walk=present.Walk(layers, heads))
    address.keep(Heads.fields)


main()
