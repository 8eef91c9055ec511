"""Text of grids and names, and its encoding in the URL."""

import re

from model.calculator import MAX_SIZE
from web.view_state.field import write_text

GridCells = list[list[str]]

MAX_CELL = 40
MAX_NAME = 24

_CODES = {",": "~c", ";": "~s", "|": "~p", "~": "~~"}
"""Escapes for typed separators: commas end cells in the URL, semicolons rows, bars names."""


def clean(text: str) -> str:
    """A cell's text, stripped and cut to its maximum length."""
    return text.strip()[:MAX_CELL].rstrip()


def read_cells(text: str) -> GridCells:
    """Read a grid, ``1,0;0,1``; a grid of two rows without columns is ``2x0``."""
    empty = re.fullmatch("([1-8])x0", text)
    if empty:
        return [[] for _ in range(int(empty[1]))]
    rows = [[clean(_unescaped(cell)) for cell in row.split(",")] for row in text.split(";")]
    if len(rows) > MAX_SIZE or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(text)
    if len(rows[0]) > MAX_SIZE:
        raise ValueError(text)
    return rows


def write_cells(cells: GridCells) -> str:
    """Write a grid."""
    if not cells or not cells[0]:
        return f"{len(cells)}x0"
    return ";".join(",".join(map(_escaped, row)) for row in cells)


def read_names(text: str) -> list[str]:
    """Read tokens' names, ``I|think``."""
    return [_unescaped(name)[:MAX_NAME] for name in text.split("|")][:MAX_SIZE] if text else []


def write_names(names: list[str]) -> str:
    """Write tokens' names."""
    return write_text("|".join(map(_escaped, names)))


def _escaped(text: str) -> str:
    return "".join(_CODES.get(letter, letter) for letter in text)


def _unescaped(text: str) -> str:
    letters = {code: letter for letter, code in _CODES.items()}
    return re.sub("~[csp~]", lambda found: letters[found[0]], text)
