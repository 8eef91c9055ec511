"""What a page's figures show, told to the views that the browser draws itself; see sync.js."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from viz import Side
from web import components
from web.widgets.sides import SIDES


@dataclass(frozen=True)
class View:
    """What is selected and how it is coloured.

    Attributes:
        selected: Of each side, the row and the column of the overview that are outlined: layer and
            head, where nothing else is said.
        linked: Whether the sides move together.
        picked: Of each side, the units that are picked.
        top: The weight that has the darkest colour.
        sqrt: Whether colours follow the square root of the weights.
        overlaid: Heads that are drawn over one another, each with its colour.
    """

    selected: Mapping[Side, tuple[int, int]]
    linked: bool = True
    picked: Mapping[Side, Sequence[int]] = field(default_factory=dict)
    top: float = 1.0
    sqrt: bool = False
    overlaid: Sequence[tuple[int, int, str]] = ()


def _nothing() -> None:
    """A click on a heatmap's row picks nothing."""


def sync(view: View, on_picked: Callable[[], None] = _nothing) -> None:
    """Tell the browser's views; there is nothing to see.

    Args:
        view: What they are told.
        on_picked: A row of a heatmap was clicked.
    """
    told: dict[str, object] = {
        "linked": view.linked,
        "sqrt": view.sqrt,
        "range": [0.0, view.top],
        "overlaid": [list(head) for head in view.overlaid],
        "picked": {side: list(view.picked.get(side, ())) for side in SIDES},
    }
    for side in SIDES:
        layer, head = view.selected[side]
        told[side] = {"layer": layer, "head": head}
    components.sync(told, on_picked=on_picked)
