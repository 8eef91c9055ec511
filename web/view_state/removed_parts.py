"""Table of values that links no longer open: what replaces each, and the notice.

A link from an earlier version opens the page that has the replacement. A value that the table does
not contain is unknown: the page shows its default, with another notice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from web.language import _


@dataclass(frozen=True)
class Removed:
    """What an old link opens, and the sentence that says where its use is now."""

    value: str
    notice: Callable[[], str]


_now_efficient = Removed(
    "none",
    lambda: _("The masks Window and Window + global are now in the part Efficient attention."),
)
_patterns_gone = Removed(
    "none",
    lambda: _("This pattern of cells no longer exists. Draw a mask, or see Efficient attention."),
)
_views_below_gone = Removed(
    "weight",
    lambda: _("Approximations and numbers of products are now in the part Efficient attention."),
)

REMOVED: Mapping[tuple[str, str], Removed] = {
    ("size_positions", "relative"): Removed(
        "none", lambda: _("The size counter no longer has T5's relative positions.")
    ),
    ("heads_part", "data"): Removed(
        "labels",
        lambda: _(
            "The part “Data set” is gone. To measure every head on your own texts, run "
            "{command} where Headlight is installed."
        ).format(command="`python -m model.analysis.survey`"),
    ),
    ("heads_part", "map"): Removed(
        "labels",
        lambda: _(
            "The part “Map” is gone. The distances between heads are in “Similar heads” on "
            "the page Layers."
        ),
    ),
    **dict.fromkeys([("mask_kind", "window"), ("mask_kind", "global")], _now_efficient),
    **{("mask_kind", kind): _patterns_gone for kind in ("dilated", "random", "block", "strided")},
    **{("below", view): _views_below_gone for view in ("layers", "reach", "cost", "forms")},
    ("mode", "whole"): Removed(
        "head",
        lambda: _(
            "The Calculator no longer shows whole layers. The Model page does: select a layer "
            "there. This is one of its heads."
        ),
    ),
    ("ask", "mistake"): Removed(
        "weights",
        lambda: _(
            "There are no exercises on mistakes any more. “Your numbers” shows the classic "
            "mistakes."
        ),
    ),
}
"""By the key in the session state and the old value in the query string."""
