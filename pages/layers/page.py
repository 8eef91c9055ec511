"""The Layers page: attention by depth, between models, and between sentences."""

from pages.layers.difference import difference
from pages.layers.layer_by_layer import layer_by_layer
from pages.layers.logit_lens import logit_lens
from pages.layers.profile import profile
from pages.layers.similarity import similarity
from pages.layers.stream import stream
from pages.layers.url import PARAMETERS
from web.language import _
from web.widgets import present
from web.widgets.choices import choose
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
    sides = open_page(PARAMETERS)
    parts = {
        "layers": _("Layer by layer"),
        "profile": _("Profile"),
        "similarity": _("Similar heads"),
        "difference": _("Difference"),
        "stream": _("Residual stream"),
        "lens": _("Logit lens"),
    }
    part = choose(_("Part"), parts, "part", label_hidden=True)
    if sides is not None:
        DRAW[part](*sides)
        if part != "layers":  # this part writes a caption with its layer
            present.caption_line(*(side.name for side in sides), sides[0].text)


main()
