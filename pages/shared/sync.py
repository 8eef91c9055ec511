"""What the page's views tell one another: which heads are selected, and what colours mean."""

from collections.abc import Callable, Mapping, Sequence

from pages import components
from pages.shared.language import _
from viz import Side


def sync(
    left: tuple[int, int],
    right: tuple[int, int],
    *,
    top: float = 1.0,
    sqrt: bool = False,
    linked: bool = True,
    overlaid: Sequence[Sequence[object]] = (),
    picked: Mapping[Side, list[int]] | None = None,
    on_picked: Callable[[], None] | None = None,
) -> None:
    """Send the view to whatever the browser draws itself, and draw the button that copies the link.

    Args:
        left: Row and column of the thumbnail that is selected on the left.
        right: The same on the right.
        top: The weight of full colour.
        sqrt: Whether colours go by the square root of a weight.
        linked: Whether both sides move together.
        overlaid: Layer, head and colour of each head that is laid over the others as lines.
        picked: The units that are picked on each side.
        on_picked: A click on a heatmap's row picks it; nothing where no row can be picked.
    """
    view = {
        "linked": linked,
        "sqrt": sqrt,
        "range": [0.0, top],
        "overlaid": [list(head) for head in overlaid],
        "picked": picked or {"left": [], "right": []},
        "left": {"layer": left[0], "head": left[1]},
        "right": {"layer": right[0], "head": right[1]},
    }
    strings = {"copy": _("Copy link"), "copied": _("Link copied")}
    components.sync(view, strings, on_picked=on_picked or _nothing)


def _nothing() -> None:
    """Nothing can be picked here."""
