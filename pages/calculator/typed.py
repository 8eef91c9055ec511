"""The mode "Your numbers": a calculation on numbers that the reader types."""

import streamlit as st

from model import HeadlightError
from model.calculator import CellError, from_projections, from_qkv
from pages.calculator.calculate import Calculated, calculate
from pages.calculator.cards import draw_steps, write_link
from pages.calculator.controls import choose_settings, show_code
from pages.calculator.example_picker import choose_start
from pages.calculator.example_story import draw_story
from pages.calculator.typed_calculation import TypedCalculation
from pages.calculator.typed_grids import draw_grids
from pages.calculator.url import MATRICES, Calculator, settings
from web.language import _
from web.view_state.widget_fields import fragment
from web.widgets import present
from web.widgets.share_link import copy_link


def draw() -> None:
    """Draw the purpose, settings, grids and steps."""
    st.caption(_("Calculate attention by hand: change any number and follow every step."))
    with st.container(key="names_of_matrices"):  # page.css hides it on a phone, to save a screen
        st.caption(
            _(
                "Each token has a query (its row in Q), a key (in K) and a value (in V). Queries "
                "times keys give the weights. The weights average the values."
            )
        )
    choose_start()
    choose_settings()
    _calculation()
    copy_link()


@fragment("calculation")
def _calculation() -> None:
    """Draw story, grids and steps, in a fragment: an edit reruns nothing else."""
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
    draw_grids(typed.cells, problem)
    draw_steps(calculated if problem is None else Calculated(None, None), typed.axes, key="steps")
    if calculated.calculation is not None:
        show_code(typed.code(settings()), from_qkv, from_projections)
    present.caption_line(_("Attention, step by step"), typed.subtitle())
    write_link()


def _grid_error(error: HeadlightError | None) -> CellError | None:
    """The error, if it belongs to a grid: no number, or sizes that do not match."""
    if isinstance(error, CellError) and error.place.matrix in MATRICES.values():
        return error
    return None
