"""A calculation on numbers that the reader types."""

import streamlit as st

from model import HeadlightError
from model.calculator import CellError
from pages.calculator.address import MATRICES, settings
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_settings
from pages.calculator.own_grids import draw_grids
from pages.calculator.own_numbers import Typed
from pages.calculator.own_start import choose_start
from pages.calculator.own_story import draw_story
from pages.calculator.take_away import remember, show_working, take_away
from pages.calculator.work import Worked, work_out
from pages.shared import present


def draw() -> None:
    """Draw settings, grids and steps."""
    choose_start()
    choose_settings()
    _bench()
    take_away("headlight_calculation")


@st.fragment(key="calculation")
def _bench() -> None:
    """Story, grids and steps are a fragment: an edit repaints them and nothing else."""
    draw_story()
    task = Typed.of_session()
    remember(task)
    worked = work_out(task.work, settings(), task.axes, mistake=st.session_state["mistake"])
    problem = _in_a_grid(worked.said)
    draw_grids(task.cells, problem)
    draw_steps(worked if problem is None else Worked(None, None), task.axes, key="steps")
    show_working(st.session_state["form"])
    present.caption_line(task.title(), task.subtitle())
    keep_link()


def _in_a_grid(said: HeadlightError | None) -> CellError | None:
    """What is to be said at a grid: no number, or sizes that do not multiply."""
    if isinstance(said, CellError) and said.place.matrix in MATRICES.values():
        return said
    return None
