"""Why scores are divided by sqrt(d_k): an experiment with random queries and keys."""

import streamlit as st

from model.calculator import scaling
from pages.calculator.url import Calculator
from viz.figures.spread import spread_figures
from web.cache.shared_cache import SMALL_BYTES, shared
from web.language import _
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.charts import chart
from web.widgets.export import code_menu
from web.widgets.view_code import ViewCode


@shared(SMALL_BYTES)
def _cached_spread(seed: int, n_keys: int) -> scaling.Spread:
    """Scores and softmax for each d_k, cached because it takes a while."""
    return scaling.spread(seed, n_keys)


@fragment("spread")
def draw() -> None:
    """Draw the measurements, the curves, the formula and one query's weights."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Calculator.d_k.draw()
        with st.popover(_("Options"), icon=":material/tune:", key="options"):
            Calculator.keys.draw()
            Calculator.spread_seed.draw()
    d_k, n_keys = Calculator.d_k.value, Calculator.keys.value
    seed = Calculator.spread_seed.value
    measured = _cached_spread(seed, n_keys)
    at = scaling.SIZES.index(d_k)
    st.markdown(
        _(
            "**At $d_k$ = {d_k}, the largest of {n_keys} weights is {largest:.2f} on average. "
            "With the division by √{d_k} it is {scaled:.2f}.**"
        ).format(
            d_k=d_k,
            n_keys=n_keys,
            largest=measured.largest_raw[at],
            scaled=measured.largest_scaled[at],
        )
    )
    _draw_curves(measured, at, seed)
    st.markdown(
        _(
            "A score is a sum of $d_k$ products. If all numbers are independent, with mean 0 and "
            "variance 1, each product adds 1 to its variance (Vaswani et al. 2017, footnote 4)."
        )
    )
    st.latex(
        r"\operatorname{Var}(q \cdot k) = \sum_{i=1}^{d_k} \operatorname{Var}(q_i k_i) = d_k"
        r"\quad\Rightarrow\quad"
        r"\operatorname{Var}\left(\frac{q \cdot k}{\sqrt{d_k}}\right) = 1"
    )
    lines, paper = f"spread({seed}, {n_keys})", "Vaswani et al. 2017, 3.2.1"
    code_menu("spread", ViewCode(lines, scaling.spread, paper=paper))
    address.keep(Calculator.fields)


def _draw_curves(measured: scaling.Spread, at: int, seed: int) -> None:
    """Draw spread, entropy and gradient over all sizes, and their values at one size."""
    drawn = {
        "std": (measured.std_raw, measured.std_scaled),
        "entropy": (measured.entropy_raw, measured.entropy_scaled),
        "gradient": (measured.gradient_raw, measured.gradient_scaled),
    }
    d_k, n_keys = scaling.SIZES[at], measured.n_keys
    figures = spread_figures(scaling.SIZES, n_keys, **drawn, current=d_k, translate=_)
    notes = {
        "std": _("Standard deviation of the scores"),
        "entropy": _("Entropy of the weights in nats (0 if one key has all the weight)"),
        "gradient": _("Norm of the softmax's gradient (near 0, weights hardly change in training)"),
    }
    said = {
        name: f"{note}: {_('undivided')} {raw[at]:.3f}, {_('divided')} {scaled[at]:.3f}"
        for (name, note), (raw, scaled) in zip(notes.items(), drawn.values(), strict=True)
    }
    for column, (name, text), figure in zip(st.columns(3), said.items(), figures, strict=True):
        with column:
            chart(figure, f"spread_{name}", f"{name}_{n_keys}-keys_seed-{seed}", text)
    st.markdown("\n".join(f"- {text}" for text in said.values()))
