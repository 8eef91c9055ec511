"""The Heads page: labels, links, grammar, heads switched off, fine-tuning."""

from pages.heads.change import change
from pages.heads.corpus import corpus
from pages.heads.examples import open_part, select_explored
from pages.heads.labels import labels
from pages.heads.links import links
from pages.heads.tuned import tuned
from pages.heads.url import Heads
from web.inference import compute_queue_ui
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.findings import findings
from web.widgets.sentence_form import open_page

DRAW = {"labels": labels, "links": links, "corpus": corpus, "change": change, "tuned": tuned}


def main() -> None:
    """Draw the page from top to bottom."""
    select_explored()
    sides = open_page(Heads.fields)
    if sides is not None:
        findings("heads", Heads.fields)
        part(*sides)


# The part picker is inside the fragment: a click on a head can open it in another part.
@compute_queue_ui.queue_fragment("heads")
def part(left: Subject, right: Subject) -> None:
    """Draw the part picker and the chosen part."""
    chosen = Heads.part.draw(on_change=open_part)
    DRAW[chosen](left, right)
    layers = max(view.capture().n_layers for view in (left, right))
    heads = max(view.capture().n_heads for view in (left, right))
    described = (*(view.name for view in (left, right)), left.text)
    present.caption_line(Heads.part.names()[chosen], *described, walk=present.Walk(layers, heads))
    address.keep(Heads.fields)


main()
