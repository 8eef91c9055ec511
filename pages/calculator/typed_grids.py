"""Grids for the typed matrices; their rows have names, and they grow together."""

import streamlit as st

from model.calculator import CellError
from pages.calculator import grids
from pages.calculator.grid_text import Cells
from pages.calculator.url import MATRICES, Calculator
from web.language import _

AXES = ("tokens", "sources")

GROUPS = {
    "q": ("query", "d_k"),
    "k": ("key", "d_k"),
    "v": ("key", "d_v"),
    "x": ("query", "d_model"),
    "wq": ("d_model", "width"),
    "wk": ("d_model", "width"),
    "wv": ("d_model", "concatenated"),
    "wo": ("concatenated", "d_out"),
}
"""The quantities that a grid's rows and columns count. Grids that share one grow together."""


def draw_grids(cells: dict[str, Cells], problem: CellError | None) -> None:
    """Draw the grids, and the error in one of them."""
    own_keys = bool(Calculator.sources.value)
    keys = "sources" if own_keys else "tokens"
    axes = {"q": "tokens", "x": "tokens", "k": keys, "v": keys}
    drawn = []
    for name, grid in cells.items():
        rows, columns = GROUPS[name]
        if rows == "key" and not own_keys:
            rows = "query"
        here = problem if problem and problem.place.matrix == MATRICES[name] else None
        drawn.append(
            grids.Grid(
                name,
                MATRICES[name],
                grid,
                axis=axes.get(name),
                sizes=(rows, columns),
                locked=False,
                problem=here,
            )
        )
    grids.draw(
        drawn,
        key="grids",
        on_edited=_on_edited,
        names={axis: list(st.session_state[axis]) for axis in AXES},
        strings={
            "rows": _("rows"),
            "columns": _("columns"),
            "name": _("name of token"),
            "tokens": _("token"),
            "sources": _("key"),
        },
    )


def _on_edited() -> None:
    """Store the text as typed; a callback."""
    edits = grids.edits("grids")
    st.session_state.update({name: grid for name, grid in edits.cells.items() if name in MATRICES})
    st.session_state.update({axis: named for axis, named in edits.names.items() if axis in AXES})
