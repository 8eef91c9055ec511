"""Results of the experiment on sqrt(d_k): sentences, curves, and one query's weights."""

import streamlit as st

from model.calculator import scaling
from viz.figures.spread import spread_figures, weights_bars
from web.language import _
from web.widgets.charts import chart


def draw_measurements(measured: scaling.Spread, d_k: int) -> None:
    """Draw the measurements at one size as three sentences."""
    at = scaling.SIZES.index(d_k)
    scores = _(
        "At $d_k$ = {d_k} the undivided scores have a standard deviation of **{std:.2f}** "
        "(√{d_k} = {root:.2f}), divided **{std_scaled:.2f}**."
    ).format(
        d_k=d_k,
        std=measured.std_raw[at],
        root=measured.std_expected[at],
        std_scaled=measured.std_scaled[at],
    )
    softmax = _(
        "The largest of {n_keys} weights is on average **{largest:.2f}** undivided and "
        "**{largest_scaled:.2f}** divided. Their entropy is **{entropy:.2f}** nats undivided and "
        "**{entropy_scaled:.2f}** divided: 0 if one key has all the weight, and ln {n_keys} = "
        "{ceiling:.2f} if all keys have the same."
    ).format(
        n_keys=measured.n_keys,
        largest=measured.largest_raw[at],
        largest_scaled=measured.largest_scaled[at],
        entropy=measured.entropy_raw[at],
        entropy_scaled=measured.entropy_scaled[at],
        ceiling=measured.entropy_most,
    )
    gradient = _(
        "The gradient of the softmax has a norm of **{gradient:.3f}** undivided and "
        "**{gradient_scaled:.3f}** divided. Near 0, training hardly changes the weights."
    ).format(gradient=measured.gradient_raw[at], gradient_scaled=measured.gradient_scaled[at])
    st.markdown("\n".join(f"- {sentence}" for sentence in (scores, softmax, gradient)))


def draw_curves(measured: scaling.Spread, d_k: int, seed: int) -> None:
    """Draw spread, entropy and gradient over all sizes, with one size marked."""
    at = scaling.SIZES.index(d_k)
    pairs = {
        "std": (measured.std_raw, measured.std_scaled),
        "entropy": (measured.entropy_raw, measured.entropy_scaled),
        "gradient": (measured.gradient_raw, measured.gradient_scaled),
    }
    figures = spread_figures(scaling.SIZES, measured.n_keys, **pairs, current=d_k, translate=_)
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
            "Each point is measured on {n_queries} queries with {n_keys} keys each. The "
            "gradient is the Frobenius norm of ∂w/∂s = diag(w) − w wᵀ, where s is the input "
            "of the softmax."
        ).format(n_queries=measured.n_queries, n_keys=measured.n_keys)
    )


def draw_one_query(seed: int, d_k: int, n_keys: int) -> None:
    """Draw the weights of one query, without and with the division."""
    query = scaling.one_query(seed, d_k, n_keys)
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
