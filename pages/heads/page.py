"""The Heads page: labels, links, grammar, heads switched off, fine-tuning."""

from pages.heads.change import change
from pages.heads.corpus import corpus
from pages.heads.examples import open_part, select_explored
from pages.heads.labels import labels
from pages.heads.links import links
from pages.heads.tuned import tuned
from pages.heads.url import PARAMETERS
from web.inference import compute_queue_ui
from web.language import _
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.choices import choose
from web.widgets.findings import findings
from web.widgets.sentence_form import open_page

DRAW = {
    "labels": labels,
    "links": links,
    "corpus": corpus,
    "change": change,
    "tuned": tuned,
}


def main() -> None:
    """Draw the page from top to bottom."""
    select_explored()
    sides = open_page(PARAMETERS)
    if sides is not None:
        findings("heads", PARAMETERS)
        part(*sides)


# The part picker is inside the fragment: a click on a head can open it in another part.
@compute_queue_ui.queue_fragment("heads")
def part(left: Subject, right: Subject) -> None:
    """Draw the part picker and the chosen part."""
    parts = {
        "labels": _("What heads do"),
        "links": _("Which head links X to Y?"),
        "corpus": _("Grammar over a corpus"),
        "change": _("Does it matter?"),
        "tuned": _("Base and fine-tuned"),
    }
    chosen = choose(_("Part"), parts, "heads_part", label_hidden=True, on_change=open_part)
    DRAW[chosen](left, right)
    layers = max(view.capture().n_layers for view in (left, right))
    heads = max(view.capture().n_heads for view in (left, right))
    described = (*(view.name for view in (left, right)), left.text)
    present.caption_line(parts[chosen], *described, walk=present.Walk(layers, heads))
    address.keep(PARAMETERS)


main()
