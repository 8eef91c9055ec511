"""Part Efficient attention: a head's exact weights beside an approximation, its error and cost."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from model import HeadlightError, load_model
from model.analysis.approximations import approximate, products, relative_error
from model.analysis.masking import MaskedRun, read_tokens, run_masked
from pages.decoder.mask_controls import sentence_form, warn_of_limit
from pages.decoder.mask_spec import MAX_TOKENS
from pages.decoder.url import Efficient
from viz import attention_heatmap, distinct, shortened
from web.cache import captures, loaded_models
from web.inference.compute_queue_ui import queue_fragment
from web.language import N_, _, in_words, plain, translated
from web.view_state import address
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_picker import chosen_head, head_boxes, head_name
from web.widgets.tables import cells
from web.widgets.view_code import ViewCode, loading

SIZES = {
    "window": Efficient.reach,
    "global": Efficient.reach,
    "low_rank": Efficient.rank,
    "features": Efficient.features,
    "hashing": Efficient.buckets,
}
"""The field with the size of each method."""

TABLE_SIZES = {
    "window": (0, 1, 2, 4, 8, 16),
    "global": (0, 1, 2, 4, 8, 16),
    "low_rank": (1, 2, 4, 8, 16, 32),
    "features": (16, 64, 256, 1024, 4096, 16384),
    "hashing": (2, 4, 8, 16),
}
"""Sizes whose errors are listed."""

PAPERS = {
    "window": "Beltagy et al. 2020, 3.1",
    "global": "Beltagy et al. 2020, 3.1",
    "low_rank": "Wang et al. 2020, 3",
    "features": "Choromanski et al. 2021, 2.3",
    "hashing": "Kitaev et al. 2020, 2",
}
"""Papers and sections of the methods."""

LENGTHS = (16, 256, 4096, 65536)
"""Numbers of tokens whose products are listed."""


def efficient() -> None:
    """Draw the part from top to bottom."""
    if sentence_form():
        _result()
    address.keep(Efficient.fields)


@queue_fragment("efficient")
def _result() -> None:
    model = loaded_models.loaded_model(Efficient.encoder.value)
    method = Efficient.method.draw()
    with st.container(horizontal=True, vertical_alignment="bottom", key="efficient_sizes"):
        head_boxes(model.n_layers, model.n_heads, Efficient.layer, Efficient.head)
        for field in (SIZES[method], Efficient.global_, Efficient.seed):
            if field.when():
                field.draw()
    try:
        run = captures.masked_run(model.name, Efficient.text.value, MAX_TOKENS, 0, None, None)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    else:
        warn_of_limit(run)
        _comparison(run, method, Efficient.method.names()[method])
    address.keep(Efficient.fields)


def _comparison(run: MaskedRun, method: str, name: str) -> None:
    """Draw both matrices of weights, the error and the number of products."""
    capture = run.capture
    place = chosen_head(capture.n_layers, capture.n_heads, Efficient.layer, Efficient.head)
    head, shown, n_tokens = capture.head(*place), head_name(*place), len(capture.tokens)
    weights, size = head.weights, SIZES[method].value  # weights (T, T)
    options = {"n_global": Efficient.global_.value, "seed": Efficient.seed.value}
    approximation, n_products = approximate(head, method, size, **options)
    left, middle, right = st.columns([3, 3, 2])
    with left:
        _heatmap(run, "exact", _("{head}, exact weights A").format(head=shown), weights)
    with middle:
        title = f"{shown}, {name.lower()}: A′"
        _heatmap(run, "approximate", title, approximation, _code(run, method, size, *place))
    with right, st.container(key="efficient_products"):
        st.markdown(
            _(
                "**Relative error {error:.4f}** (‖A′ − A‖ / ‖A‖) of {head} on this sentence.\n\n"
                "**{count:,} products** of two vectors for the weights of {n} tokens. The exact "
                "weights need n² = {exact:,}."
            ).format(
                error=relative_error(approximation, weights),
                head=shown,
                count=n_products,
                n=n_tokens,
                exact=n_tokens**2,
            )
        )
        sizes = [each for each in TABLE_SIZES[method] if method != "low_rank" or each <= n_tokens]
        errors: dict[str, Any] = {}
        for each in sizes:
            other, count = approximate(head, method, each, **options)
            errors[f"{each:,}"] = (relative_error(other, weights), f"{count:,}")
        _table(_("size"), errors, (_("error"), _("products")))
        n_global = Efficient.global_.value
        counts = {
            f"{n:,}": (f"{n**2:,}", f"{products(method, n, size, n_global):,}") for n in LENGTHS
        }
        _table(_("tokens n"), counts, (_("exact"), name))
    st.caption(translated(EXPLANATIONS[method]))
    walk = present.Walk(capture.n_layers, capture.n_heads, "e_")
    present.caption_line(capture.model, capture.text, walk=walk)


def _table(title: str, rows: dict[str, Any], titles: tuple[str, ...]) -> None:
    table = pd.DataFrame([(key, *row) for key, row in rows.items()], columns=[title, *titles])
    right = st.column_config.TextColumn(alignment="right")
    columns = {
        **dict.fromkeys((title, *titles), right),
        _("error"): st.column_config.NumberColumn(format="%.4f"),
    }
    st.dataframe(cells(table), hide_index=True, height="content", column_config=columns)


def _code(run: MaskedRun, method: str, size: int, layer: int, head: int) -> ViewCode:
    """Code of an approximation of a head's weights."""
    text = run.capture.text
    options = f", n_global={Efficient.global_.value}" if method == "global" else ""
    if method in ("features", "hashing"):
        options = f", seed={Efficient.seed.value}"
    lines = [
        f"model = {loading(run.capture.model)}",
        f"tokens = read_tokens(model, {text!r}, {MAX_TOKENS})",
        f"head = run_masked(model, tokens, {text!r}).capture.head({layer}, {head})",
        f"weights, n_products = approximate(head, {method!r}, {size}{options})",
        "attention_heatmap(weights, tokens.pieces)",
    ]
    uses = (load_model, read_tokens, run_masked, attention_heatmap)
    return ViewCode("\n".join(lines), approximate, uses, PAPERS[method])


def _heatmap(
    run: MaskedRun, key: str, title: str, weights: np.ndarray, code: ViewCode | None = None
) -> None:
    figure = attention_heatmap(
        weights,
        distinct(run.capture.tokens),
        title=title,
        subtitle=shortened(f"{run.capture.model}: {run.capture.text}", 40),
        side="left",
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = _("Attention weights, {title}.").format(title=title)
    chart(figure, key, stem(run.capture.model, title), alt, code=code)


EXPLANATIONS = {
    "window": N_(
        "In Longformer, a token attends to r tokens on each side, so a head needs at most "
        "n (2r + 1) products. A mask saves nothing if the code computes all n × n scores and "
        "hides them afterwards; these numbers are for code that skips hidden cells."
    ),
    "global": N_(
        "In Longformer and BigBird, some tokens attend to all tokens and all tokens attend to "
        "them, in addition to the window. Here these are the first g tokens. The numbers are "
        "for code that skips hidden cells."
    ),
    "low_rank": N_(
        "Linformer projects n keys to k, so its weights are n × k: n k products, and n k "
        "more for the projection. The figure shows the matrix of rank k that is nearest to "
        "this head's weights. No projection is nearer."
    ),
    "features": N_(
        "Performer and linear attention replace exp(q·k) by φ(q)·φ(k) and never compute the "
        "n × n scores: 2 n m products. The figure shows this head's weights from m positive "
        "random features, drawn with the seed. Heads with large scores need many features."
    ),
    "hashing": N_(
        "In Reformer, a query attends only to keys in the same hash bucket. The figure shows "
        "the weights of these cells, from this head's q and k. The hashes of q and k need n b "
        "products. The list by number of tokens assumes b buckets of equal size."
    ),
}
