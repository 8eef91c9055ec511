"""The mode "Why sqrt(d_k)": an experiment with random queries and keys, in one fragment."""

import streamlit as st

from model.calculator import scaling
from pages.calculator.url import Calculator
from pages.calculator.why_scale_figures import draw_curves, draw_measurements, draw_one_query
from web.cache.shared_cache import SMALL_BYTES, shared
from web.language import _
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.export import code_menu
from web.widgets.view_code import ViewCode


@shared(SMALL_BYTES)
def _cached_spread(seed: int, n_keys: int) -> scaling.Spread:
    """Scores and softmax for each d_k, cached because it takes a while."""
    return scaling.spread(seed, n_keys)


@fragment("spread")
def draw() -> None:
    """Draw the formula, the measurements and one query's weights."""
    _question()
    _controls()
    d_k, n_keys = Calculator.d_k.value, Calculator.keys.value
    seed = Calculator.spread_seed.value
    measured = _cached_spread(seed, n_keys)
    draw_measurements(measured, d_k)
    draw_curves(measured, d_k, seed)
    draw_one_query(seed, d_k, n_keys)
    lines, paper = f"spread({seed}, {n_keys})", "Vaswani et al. 2017, 3.2.1"
    code_menu("spread", ViewCode(lines, scaling.spread, paper=paper))
    address.keep(Calculator.fields)


def _question() -> None:
    st.markdown(
        _(
            "A score is a sum of $d_k$ products, one for each number of the query $q$ and the key "
            "$k$. The more products, the further the scores spread. Their spread is the variance: "
            "if all numbers are independent, with mean 0 and variance 1, each product adds 1."
        )
    )
    with st.container(horizontal=True, horizontal_alignment="center"):  # two lines on a phone
        st.latex(
            r"\operatorname{Var}(q \cdot k) = \sum_{i=1}^{d_k} \operatorname{Var}(q_i k_i) = d_k",
            width="content",
        )
        st.latex(
            r"\Rightarrow\quad \operatorname{Var}\left(\frac{q \cdot k}{\sqrt{d_k}}\right) = 1",
            width="content",
        )
    st.caption(
        _(
            "Vaswani et al. 2017, section 3.2.1, footnote 4. Here $q$ and $k$ are random, "
            "and the encoder's own attention function computes the rest."
        )
    )


def _controls() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Calculator.d_k.draw()
        Calculator.keys.draw()
        Calculator.spread_seed.draw()
        st.button(
            _("Draw again"), key="spread_again", icon=":material/casino:", on_click=_draw_again
        )


def _draw_again() -> None:
    """Take the next seed, not a random one, so that a class sees the same numbers; a callback."""
    Calculator.spread_seed.value = (Calculator.spread_seed.value + 1) % (scaling.MAX_SEED + 1)
