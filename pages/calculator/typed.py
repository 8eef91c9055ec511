"""The part "Your numbers": a calculation on numbers that the reader types."""

import streamlit as st

from model import HeadlightError
from model.calculator import CellError, from_projections, from_qkv
from pages.calculator import grids
from pages.calculator.calculate import Calculated, calculate
from pages.calculator.cards import draw_steps, write_link
from pages.calculator.controls import options, say_weight, show_code
from pages.calculator.examples import choose_example, draw_story
from pages.calculator.grid_text import GridCells
from pages.calculator.typed_calculation import TypedCalculation
from pages.calculator.url import MATRICES, Calculator, settings
from web.language import _
from web.view_state.widget_fields import fragment
from web.widgets import present

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


@fragment("calculation")
def draw() -> None:
    """Draw toolbar, story, grids and steps."""
    with st.container(horizontal=True, vertical_alignment="center"):
        choose_example()
        Calculator.mistake.draw()
        with options():
            _choose_form()
    draw_story()
    typed = TypedCalculation.of_session()
    calculated = calculate(
        typed.compute,
        settings(),
        typed.axes,
        decimals=Calculator.decimals.value,
        mistake=Calculator.mistake.value,
    )
    problem = _grid_error(calculated.error)
    st.markdown(
        _(
            "Each token has a query (Q: what it looks for), a key (K: what it offers) and a value "
            "(V: what it passes on). A model computes them; here you type them."
        )
    )
    _draw_grids(typed.cells, problem)
    if calculated.calculation is not None:
        weights = calculated.calculation.steps.weights[typed.axes.head]  # (Tq, Tk)
        say_weight(calculated, *divmod(int(weights.argmax()), weights.shape[1]))
    draw_steps(calculated if problem is None else Calculated(None, None), typed.axes, key="steps")
    if calculated.calculation is not None:
        show_code(typed.code(settings()), from_qkv, from_projections)
    present.caption_line(_("Your numbers"), typed.subtitle())
    write_link()


def _choose_form() -> None:
    """Draw the choice of Q, K, V or X, and of heads or separate keys."""
    if Calculator.form.draw() == "x":
        n_heads = Calculator.heads.draw()
        if n_heads > 1:
            Calculator.followed.value = min(Calculator.followed.value, n_heads - 1)
            Calculator.followed.draw(options=range(n_heads))
        return
    st.session_state["cross"] = bool(Calculator.sources.value)
    st.toggle(
        _("Separate keys"),
        key="cross",
        on_change=_on_cross,
        help=_("Cross-attention: queries and keys belong to different tokens."),
    )


def _on_cross() -> None:
    """Give the keys their own names, or the names of the queries; a callback."""
    key, count = _("key"), len(Calculator.k.value)
    on = st.session_state["cross"]
    Calculator.sources.value = [f"{key} {i}" for i in range(count)] if on else []


def _grid_error(error: HeadlightError | None) -> CellError | None:
    """The error, if it belongs to a grid: no number, or sizes that do not match."""
    if isinstance(error, CellError) and error.place.matrix in MATRICES.values():
        return error
    return None


def _draw_grids(cells: dict[str, GridCells], problem: CellError | None) -> None:
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
