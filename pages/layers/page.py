"""Layers: how attention changes with depth, between models, and between sentences."""

from pages.layers.address import PARAMETERS
from pages.layers.difference import difference
from pages.layers.layer_by_layer import layer_by_layer
from pages.layers.logit_lens import logit_lens
from pages.layers.profile import profile
from pages.layers.similarity import similarity
from pages.layers.stream import stream
from pages.shared import present
from pages.shared.choices import choose
from pages.shared.language import _
from pages.shared.opening import open_page

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
        if part != "layers":  # its own has a layer to name
            present.caption_line(*(side.show().name for side in sides), sides[0].text)


main()
