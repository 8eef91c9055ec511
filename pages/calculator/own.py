"""A calculation on numbers that the reader types."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat

import streamlit as st

from model import HeadlightError
from model.calculator import (
    MAX_SIZE,
    PRESETS,
    Calculation,
    CellError,
    Settings,
    from_projections,
    from_qkv,
    numbers,
)
from model.calculator.script import numpy_script
from pages.calculator import grids
from pages.calculator.address import MATRICES, PARAMETERS, Cells, settings
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_settings
from pages.calculator.take_away import remember, show_working, take_away
from pages.calculator.work import Shown, work_out
from pages.shared.language import _, in_words
from viz import distinct
from viz.cards.steps import Names

AXES = ("tokens", "sources")
QKV = ("q", "k", "v")
PROJECTED = ("x", "wq", "wk", "wv", "wo")

GROUPS = {
    "q": ("query", "d_k"),
    "k": ("key", "d_k"),
    "v": ("key", "d_v"),
    "x": ("query", "d_model"),
    "wq": ("d_model", "width"),
    "wk": ("d_model", "width"),
    "wv": ("d_model", "joined"),
    "wo": ("joined", "d_out"),
}
"""What the rows and the columns of a grid count: grids that share a count grow together."""


@dataclass(frozen=True)
class Typed:
    """Numbers as typed, with the tokens' names: a task for the bench."""

    cells: dict[str, Cells]
    axes: Names

    @classmethod
    def of_session(cls) -> "Typed":
        """What the session's grids hold."""
        cells = _cells()
        return cls(cells, _names(cells))

    def names(self) -> Names:
        """Names of tokens and heads."""
        return self.axes

    def show(self, wanted: Settings) -> Shown:
        """Work the numbers out."""
        return work_out(self.work, wanted, self.axes)

    def script(self, wanted: Settings) -> str:
        """The NumPy that does the same."""
        return numpy_script(self.work(wanted), self.axes.queries, self.axes.keys)

    def title(self) -> str:
        """Of the worksheet."""
        return _("Attention, step by step")

    def subtitle(self) -> str:
        """Who attends to whom."""
        queries, keys = (", ".join(names) for names in (self.axes.queries, self.axes.keys))
        return _("{queries} attend to {keys}.").format(queries=queries, keys=keys)

    def work(self, wanted: Settings) -> Calculation:
        """From the cells' text to the output."""
        found = {MATRICES[n]: numbers(MATRICES[n], grid) for n, grid in self.cells.items()}
        if "Q" in found:
            return from_qkv(found["Q"], found["K"], found["V"], wanted)
        x, w_q, w_k, w_v = (found[name] for name in ("X", "W_Q", "W_K", "W_V"))
        return from_projections(x, w_q, w_k, w_v, found.get("W_O"), self.axes.n_heads, wanted)


def draw() -> None:
    """Draw settings, grids and steps."""
    _choose()
    choose_settings()
    _bench()
    take_away("headlight_calculation")


@st.fragment(key="calculation")
def _bench() -> None:
    """Grids and steps are a fragment: an edit repaints them and nothing else."""
    task = Typed.of_session()
    remember(task)
    shown = work_out(task.work, settings(), task.axes, slip=st.session_state["mistake"])
    problem = _in_a_grid(shown.said)
    _draw_grids(task.cells, problem)
    draw_steps(shown if problem is None else Shown(None, None), task.axes, key="steps")
    show_working(st.session_state["form"])
    keep_link()


def _in_a_grid(said: HeadlightError | None) -> CellError | None:
    """What is to be said at a grid: no number, or sizes that do not multiply."""
    if isinstance(said, CellError) and said.place.matrix in MATRICES.values():
        return said
    return None


# -- choosing ------------------------------------------------------------------------------------


def _choose() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Take an example"),
            list(PRESETS),
            format_func=lambda name: in_words(PRESETS[name].title),
            key="preset",
            index=None,
            on_change=_take_preset,
            placeholder=_("exercises, a library, a saturated softmax …"),
            width=330,
        )
        forms = {"qkv": _("Q, K, V"), "x": _("X and projections")}
        st.segmented_control(
            _("Start from"),
            list(forms),
            format_func=forms.__getitem__,
            key="form",
            required=True,
            persist_state="session",
        )
        if st.session_state["form"] == "x":
            _choose_heads()
        else:
            st.session_state["cross"] = bool(st.session_state["sources"])
            st.toggle(
                _("Keys from elsewhere"),
                key="cross",
                on_change=_cross,
                help=_(
                    "Cross-attention: the tokens that are attended to are others than those "
                    "that attend."
                ),
            )
    story = st.session_state.get("story")
    if story in PRESETS:
        st.caption(in_words(PRESETS[story].story))


def _choose_heads() -> None:
    st.number_input(
        _("Heads"),
        min_value=1,
        max_value=MAX_SIZE,
        key="heads",
        persist_state="session",
        width=120,
    )
    n_heads = st.session_state["heads"]
    if n_heads > 1:
        st.session_state["followed"] = min(st.session_state["followed"], n_heads - 1)
        st.segmented_control(
            _("Follow head"),
            range(n_heads),
            key="followed",
            required=True,
            persist_state="session",
        )


def _take_preset() -> None:
    """Fill the grids and the settings; a callback."""
    name = st.session_state["preset"]
    if name is None:
        return
    example, state = PRESETS[name], st.session_state
    state["preset"], state["story"] = None, name
    state["form"] = "x" if "X" in example.cells else "qkv"
    for parameter, matrix in MATRICES.items():
        if matrix in example.cells:
            state[parameter] = [list(row) for row in example.cells[matrix]]
    state["tokens"], state["sources"] = list(example.queries), list(example.keys)
    state["cross"] = bool(example.keys)
    state["heads"], state["followed"] = example.n_heads, 0
    state["scaled"], state["temperature"] = example.settings.scaled, example.settings.temperature
    state["mask"], state["padding"] = example.settings.mask, example.settings.padding
    state["hidden"], state["mistake"] = [], "none"
    state["look"] = PARAMETERS["look"].default


def _cross() -> None:
    """Give the keys names of their own, or the queries' again; a callback."""
    on = st.session_state["cross"]
    count, key = len(st.session_state["k"]), _("key")
    st.session_state["sources"] = [f"{key} {i}" for i in range(count)] if on else []


# -- numbers and names ---------------------------------------------------------------------------


def _cells() -> dict[str, Cells]:
    wanted: tuple[str, ...] = QKV
    if st.session_state["form"] == "x":  # W^O has something to mix if there are several heads
        wanted = PROJECTED if st.session_state["heads"] > 1 else PROJECTED[:-1]
    return {name: st.session_state[name] for name in wanted}


def _names(cells: dict[str, Cells]) -> Names:
    state = st.session_state
    queries = _filled(state["tokens"], len(cells.get("q", cells.get("x", []))))
    if "x" in cells:
        n_heads = state["heads"]
        return Names(queries, queries, min(state["followed"], n_heads - 1), n_heads)
    keys = _filled(state["sources"] or state["tokens"], len(cells["k"]))
    return Names(queries, keys)


def _filled(names: list[str], count: int) -> tuple[str, ...]:
    """As many names as there are rows; distinct, or no reader could tell them apart."""
    token = _("token")
    return tuple(distinct([name.strip() or f"{token} {i}" for i, name in _rows(names, count)]))


def _rows(names: list[str], count: int) -> Iterator[tuple[int, str]]:
    """A name per row, blank where none was given."""
    return enumerate(islice(chain(names, repeat("")), count))


# -- grids ---------------------------------------------------------------------------------------


def _draw_grids(cells: dict[str, Cells], problem: CellError | None) -> None:
    own_keys = bool(st.session_state["sources"])
    keys = "sources" if own_keys else "tokens"
    axes = {"q": "tokens", "x": "tokens", "k": keys, "v": keys}
    found = []
    for name, grid in cells.items():
        rows, columns = GROUPS[name]
        if rows == "key" and not own_keys:
            rows = "query"
        here = problem if problem and problem.place.matrix == MATRICES[name] else None
        found.append(
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
        found,
        key="grids",
        on_edited=_edited,
        names={axis: list(st.session_state[axis]) for axis in AXES},
        strings={
            "rows": _("rows"),
            "columns": _("columns"),
            "name": _("name of token"),
            "token": _("token"),
            "together": _("Grids that share a size grow together"),
        },
    )


def _edited() -> None:
    """Keep what was typed, as it was typed; a callback."""
    cells, names = grids.edit("grids")
    st.session_state.update({name: grid for name, grid in cells.items() if name in MATRICES})
    st.session_state.update({axis: named for axis, named in names.items() if axis in AXES})
