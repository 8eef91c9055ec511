"""The experiment "Why divide by sqrt(d_k)?", live; all of it is one fragment."""

import math
from functools import lru_cache

import streamlit as st

from model.calculator import spread as experiment
from pages.calculator.address import PARAMETERS
from pages.shared import address
from pages.shared.charts import chart
from pages.shared.language import _
from pages.shared.source import show_source
from viz.figures.spread import spread_figures, weights_bars

# A dragged slider repaints the same draw: it is measured once, for everybody.
_measured = lru_cache(maxsize=64)(experiment.spread)


@st.fragment(key="spread")
def draw() -> None:
    """Draw the experiment from its formula down to one query's weights."""
    _question()
    _controls()
    d_k, n_keys, seed = (st.session_state[key] for key in ("d_k", "keys", "spread_seed"))
    measured = _measured(seed, n_keys)
    _sentences(measured, d_k)
    _curves(measured, d_k, seed)
    _one_query(seed, d_k, n_keys)
    show_source("spread", ["head", "spread"])
    address.keep(PARAMETERS)


def _question() -> None:
    st.markdown(
        _(
            "A score is a sum of $d_k$ products. If the numbers in $q$ and $k$ are independent "
            "with mean 0 and variance 1, every product adds a variance of 1:"
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
            "Vaswani et al. 2017, section 3.2.1, footnote 4. Here random $q$ and $k$ are drawn and "
            "put through the same attention function that the encoder runs."
        )
    )


def _controls() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider("$d_k$", experiment.SIZES, key="d_k", persist_state="session", width=420)
        st.slider(
            _("Keys"),
            experiment.MIN_KEYS,
            experiment.MAX_KEYS,
            key="keys",
            persist_state="session",
            width=220,
        )
        st.number_input(
            _("Seed"),
            0,
            experiment.MAX_SEED,
            key="spread_seed",
            persist_state="session",
            width=160,
            help=_("The same seed draws the same vectors, for everybody."),
        )
        st.button(_("Draw again"), key="spread_again", icon=":material/casino:", on_click=_again)


def _again() -> None:
    """The next seed and not a random one: a class that draws together sees the same numbers."""
    seed = st.session_state["spread_seed"]
    st.session_state["spread_seed"] = (seed + 1) % (experiment.MAX_SEED + 1)


def _sentences(measured: experiment.Spread, d_k: int) -> None:
    at = experiment.SIZES.index(d_k)
    scores = _(
        "At $d_k$ = {d_k} the undivided scores have a standard deviation of **{std:.2f}** "
        "(√{d_k} = {root:.2f}), divided **{std_scaled:.2f}**."
    ).format(
        d_k=d_k,
        std=measured.std_raw[at],
        root=math.sqrt(d_k),
        std_scaled=measured.std_scaled[at],
    )
    softmax = _(
        "The largest of {n_keys} weights is on average **{largest:.2f}** undivided and "
        "**{largest_scaled:.2f}** divided; their entropy is **{entropy:.2f}** and "
        "**{entropy_scaled:.2f}** of at most ln {n_keys} = {ceiling:.2f} nats."
    ).format(
        n_keys=measured.n_keys,
        largest=measured.largest_raw[at],
        largest_scaled=measured.largest_scaled[at],
        entropy=measured.entropy_raw[at],
        entropy_scaled=measured.entropy_scaled[at],
        ceiling=math.log(measured.n_keys),
    )
    gradient = _(
        "The gradient of the softmax has a norm of **{gradient:.3f}** undivided and "
        "**{gradient_scaled:.3f}** divided; near 0, hardly anything is learned through it."
    ).format(
        gradient=measured.gradient_raw[at],
        gradient_scaled=measured.gradient_scaled[at],
    )
    st.markdown("\n".join(f"- {sentence}" for sentence in (scores, softmax, gradient)))


def _curves(measured: experiment.Spread, d_k: int, seed: int) -> None:
    at = experiment.SIZES.index(d_k)
    pairs = {
        "std": (measured.std_raw, measured.std_scaled),
        "entropy": (measured.entropy_raw, measured.entropy_scaled),
        "gradient": (measured.gradient_raw, measured.gradient_scaled),
    }
    figures = spread_figures(experiment.SIZES, measured.n_keys, **pairs, current=d_k, translate=_)
    described = {
        "std": _(
            "Standard deviation of the scores over d_k, 2 to 1024. At d_k = {d_k}: {raw:.4f} "
            "undivided, {scaled:.4f} divided."
        ),
        "entropy": _(
            "Entropy of the softmax's weights over d_k, 2 to 1024. At d_k = {d_k}: {raw:.4f} nats "
            "undivided, {scaled:.4f} divided."
        ),
        "gradient": _(
            "Norm of the softmax's gradient over d_k, 2 to 1024. At d_k = {d_k}: {raw:.4f} "
            "undivided, {scaled:.4f} divided."
        ),
    }
    for column, name, figure in zip(st.columns(3), pairs, figures, strict=True):
        raw, scaled = pairs[name]
        with column:
            chart(
                figure,
                f"spread_{name}",
                f"{name}_{measured.n_keys}-keys_seed-{seed}",
                described[name].format(d_k=d_k, raw=raw[at], scaled=scaled[at]),
            )
    st.caption(
        _(
            "Each point is measured on {n_queries} queries of {n_keys} keys. The gradient is the "
            "Frobenius norm of ∂w/∂s = diag(w) − w wᵀ, where s are the scores that the softmax "
            "is given."
        ).format(n_queries=measured.n_queries, n_keys=measured.n_keys)
    )


def _one_query(seed: int, d_k: int, n_keys: int) -> None:
    query = experiment.one_query(seed, d_k, n_keys)
    figure = weights_bars(
        (query.weights_raw, query.weights_scaled),
        (query.scores_raw, query.scores_scaled),
        title=_("Weights of one query, d<sub>k</sub> = {d_k}").format(d_k=d_k),
        translate=_,
    )
    alt = _(
        "Weights of one query over {n_keys} keys at d_k = {d_k}. Largest: {raw:.4f} on key "
        "{raw_key} undivided, {scaled:.4f} on key {scaled_key} divided."
    ).format(
        n_keys=n_keys,
        d_k=d_k,
        raw=query.weights_raw.max(),
        raw_key=query.weights_raw.argmax() + 1,
        scaled=query.weights_scaled.max(),
        scaled_key=query.weights_scaled.argmax() + 1,
    )
    stem = f"weights_dk-{d_k}_{n_keys}-keys_seed-{seed}"
    chart(figure, "spread_one_query", stem, alt)
