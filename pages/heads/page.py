"""Heads: which head does what, on this sentence and over a corpus, and does it matter?"""

from pages.heads.address import PARAMETERS
from pages.heads.change import change
from pages.heads.corpus import corpus
from pages.heads.labels import labels
from pages.heads.links import links
from pages.heads.map import head_map
from pages.heads.tuned import tuned
from pages.shared import address, present, turns
from pages.shared.choices import choose
from pages.shared.findings import findings
from pages.shared.language import _
from pages.shared.opening import open_page
from pages.shared.recipe import Recipe

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
    sides = open_page(PARAMETERS)
    if sides is not None:
        findings("heads", PARAMETERS)
        part(*sides)


# The choice of the part is inside: from a head in one part a click leads to it in another.
@turns.part("heads")
def part(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the choice of the part, and the part."""
    parts = {
        "labels": _("What heads do"),
        "links": _("Which head links X to Y?"),
        "map": _("Map"),
        "corpus": _("Grammar over a corpus"),
        "change": _("Does it matter?"),
        "tuned": _("Base and fine-tuned"),
    }
    chosen = choose(_("Part"), parts, "heads_part", label_hidden=True)
    DRAW[chosen](left_side, right_side)
    sides = (left_side.show(), right_side.show())
    layers = max(side.capture.n_layers for side in sides)
    heads = max(side.capture.n_heads for side in sides)
    said = (*(side.name for side in sides), left_side.text)
    present.caption_line(parts[chosen], *said, walk=present.Walk(layers, heads))
    address.keep(PARAMETERS)


main()
