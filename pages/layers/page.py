"""The Layers page: attention by depth, between models, and between sentences."""

from pages.layers.difference import difference
from pages.layers.layer_by_layer import layer_by_layer
from pages.layers.logit_lens import logit_lens
from pages.layers.profile import profile
from pages.layers.similarity import similarity
from pages.layers.stream import stream
from pages.layers.url import Layers
from web.widgets import present
from web.widgets.sentence_form import open_page

DRAW = {
    "layers": layer_by_layer,
    "profile": profile,
    "similarity": similarity,
    "difference": difference,
    "stream": stream,
    "lens": logit_lens,
}


def main() -> None:
    """Draw the page from top to bottom."""
    sides = open_page(Layers.fields)
    part = Layers.part.draw()
    if sides is not None:
        DRAW[part](*sides)
        if part != "layers":  # this part writes a caption with its layer
            present.caption_line(*(side.name for side in sides), sides[0].text)


main()
