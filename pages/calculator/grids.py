"""Editable grids of numbers: the payload for the browser, and the edits that it returns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from model.calculator import MAX_SIZE, CellError
from pages.calculator.grid_text import MAX_NAME, GridCells, clean
from viz.cards.matrices import SYMBOLS
from viz.style.formula import mathml
from web import components
from web.components.edits import received
from web.language import _, in_words


class Stored(NamedTuple):
    """What the browser stores of the grids; ``unknown`` until the session has received it."""

    set_name: str
    item: str
    unknown: bool


@dataclass(frozen=True)
class Grid:
    """One grid.

    Attributes:
        sizes: The quantities that its rows and its columns count, if rows and columns can be
            added. Grids that share a quantity grow together.
        toggles: The names of the states on ("1") and off, if its cells are switches.
    """

    name: str
    matrix: str
    cells: GridCells
    label: str = ""
    title: str = ""
    axis: str | None = None
    sizes: tuple[str, str] | None = None
    locked: bool = True
    problem: CellError | None = None
    marks: list[list[str]] | None = None
    toggles: tuple[str, str] | None = None

    def payload(self) -> dict[str, Any]:
        """The payload for the browser."""
        error = self.problem
        return vars(self) | {
            "id": self.name,
            "label": self.label or self.matrix,
            "symbol": mathml(SYMBOLS.get(self.matrix, self.matrix)),
            "sizes": self.sizes and dict(zip(("rows", "columns"), self.sizes, strict=True)),
            "problem": error
            and {"row": error.place.row, "column": error.place.column, "text": in_words(error)},
        }


def draw(
    grids: Sequence[Grid],
    key: str,
    on_edited: Callable[[], None],
    strings: Mapping[str, str],
    names: Mapping[str, list[str]] | None = None,
    stored: Stored | None = None,
) -> None:
    """Draw grids side by side; ``names`` has the tokens' names by axis."""
    keep = stored and {"set": stored.set_name, "item": stored.item, "unknown": stored.unknown}
    components.grids(
        {
            "grids": [grid.payload() for grid in grids],
            "names": dict(names or {}),
            "strings": {
                "cut": _("You pasted {rows} x {columns} cells; {kept} of them fit."),
                **strings,
            },
            "keep": keep,
        },
        key=key,
        on_edited=on_edited,
    )


class Edits(NamedTuple):
    """The edits in a message.

    Attributes:
        cells: The cells by grid; empty without an edit.
        names: The tokens' names by axis; empty without an edit.
        stored: The cells in the browser's storage by set, item and grid, if the message has them.
        cleared: The name of the set that was cleared; blank if none was.
        recalled: Whether the cells come from the browser's storage, as the user left them.
    """

    cells: dict[str, GridCells]
    names: dict[str, list[str]]
    stored: dict[str, dict[str, dict[str, GridCells]]]
    cleared: str
    recalled: bool


def edits(key: str) -> Edits:
    """The edits in the current message."""
    fields = received(key)
    names = {
        axis: [str(name)[:MAX_NAME] for name in named][:MAX_SIZE]
        for axis, named in fields.get("names", {}).items()
    }
    stored = {}
    if "stored" in fields:
        stored[str(fields["stored"]["set"])] = {
            str(item): _cells(grids) for item, grids in fields["stored"]["items"].items()
        }
    return Edits(
        cells=_cells(fields.get("cells", {})),
        names=names,
        stored=stored,
        cleared=str(fields.get("cleared", "")),
        recalled="recalled" in fields,
    )


def _cells(grids: Mapping[str, Any]) -> dict[str, GridCells]:
    """Text by grid, cut to the largest size of a grid."""
    return {
        str(name): [[clean(str(cell)) for cell in row[:MAX_SIZE]] for row in grid[:MAX_SIZE]]
        for name, grid in grids.items()
    }
