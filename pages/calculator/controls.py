"""The toolbar of a calculation: a classic mistake, and the options in a popover."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from model import scaled_dot_product_attention
from model.calculator.mistakes import MISTAKES, mistake
from model.calculator.settings import CalculatorSettings
from pages.calculator.calculate import Calculated
from pages.calculator.url import Calculator
from web.language import _, plain
from web.widgets.export import code_menu
from web.widgets.view_code import ViewCode


@contextmanager
def options() -> Iterator[None]:
    """Draw the popover; the caller's own options come first."""
    with st.popover(_("Options"), icon=":material/tune:", key="options"):
        yield
        Calculator.scaled.draw()
        Calculator.temperature.draw()
        if Calculator.mask.draw() == "padding":
            Calculator.padding.draw()
        Calculator.decimals.draw()


def say_weight(calculated: Calculated, row: int, column: int) -> None:
    """State one of the drawn weights in a sentence, unless an error has stopped the steps."""
    if calculated.calculation is None or calculated.steps is None:
        return
    weights = calculated.steps.matrices["weights"]
    st.markdown(
        _("**“{query}” gives “{key}” {weight} of its attention.**").format(
            query=plain(weights.rows[row]),
            key=plain(weights.columns[column]),
            weight=f"{weights.values[row, column]:.{Calculator.decimals.value}f}",
        )
    )


_PAPERS = {
    "none": "Vaswani et al. 2017, 3.2.1",
    "inverted_mask": "Vaswani et al. 2017, 3.2.3",
    "wrong_axis": "Vaswani et al. 2017, 3.2.1",
    "unscaled": "Vaswani et al. 2017, 3.2.1",
    "mask_after_softmax": "Vaswani et al. 2017, 3.2.3",
    "after_dropout": "Vaswani et al. 2017, 5.4",
}


def show_code(lines: Sequence[str], *uses: Callable[..., Any]) -> None:
    """Draw the menu with the code of the steps, and of the chosen mistake."""
    name = Calculator.mistake.value
    function: Callable[..., Any] = scaled_dot_product_attention
    last = "calculation.steps.weights"
    if name != "none":
        function, last = MISTAKES[name], f"mistake({name!r}, calculation).weights"
    code = ViewCode(
        "\n".join([*lines, last]), function, (CalculatorSettings, mistake, *uses), _PAPERS[name]
    )
    code_menu("calculation", code)
