"""Efficient attention: a head's exact weights beside an approximation, its error and cost."""

import streamlit as st

from model import load_model
from model.analysis.approximations import approximate, products, relative_error
from model.analysis.masking import MaskedRun, read_tokens, run_masked
from pages.decoder.mask_comparison import draw_head
from pages.decoder.mask_spec import MAX_TOKENS
from pages.decoder.url import Masks
from viz import attention_heatmap
from web.language import N_, _, translated
from web.widgets.head_picker import chosen_head
from web.widgets.tables import table
from web.widgets.view_code import ViewCode, loading

SIZES = {
    "window": Masks.reach,
    "global": Masks.reach,
    "low_rank": Masks.rank,
    "features": Masks.features,
    "hashing": Masks.buckets,
}
"""The field with the size of each method."""

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


def approximation(run: MaskedRun) -> None:
    """Draw both matrices of weights, the error and the number of products."""
    capture, method = run.capture, Masks.method.value
    name, size = Masks.method.names()[method], SIZES[method].value
    place = chosen_head(capture.n_layers, capture.n_heads, Masks.layer, Masks.head)
    head, n_tokens, n_global = capture.head(*place), len(capture.tokens), Masks.global_.value
    options = {"n_global": n_global, "seed": Masks.seed.value}
    weights, n_products = approximate(head, method, size, **options)  # (T, T)
    st.markdown(
        _(
            "**With {name}, a program can do with {count:,} products of two vectors instead of "
            "{exact:,}. Its weights have a relative error ‖A′ − A‖ / ‖A‖ of {error:.4f}.**"
        ).format(
            name=name,
            count=n_products,
            exact=n_tokens**2,
            error=relative_error(weights, head.weights),
        )
    )
    left, middle, right = st.columns([3, 3, 2])
    with left:
        draw_head(run, "exact", place, _("exact: A"))
    with middle:
        code = _code(run, method, size, *place)
        draw_head(run, "approximate", place, _("{name}: A′").format(name=name), weights, code)
    with right:
        _products(method, name)
    st.caption(translated(EXPLANATIONS[method]))


def _products(method: str, name: str) -> None:
    """Draw a table of the number of products by the number of tokens."""
    n_global = Masks.global_.value
    columns = {
        _("tokens n"): LENGTHS,
        _("exact"): [n**2 for n in LENGTHS],
        name: [products(method, n, SIZES[method].value, n_global) for n in LENGTHS],
    }
    st.caption(_("Products of two vectors"))
    table(columns, _("Products of two vectors"), dict.fromkeys(columns, "{:,}"))


def _code(run: MaskedRun, method: str, size: int, layer: int, head: int) -> ViewCode:
    """Code of an approximation of a head's weights."""
    text = run.capture.text
    options = f", n_global={Masks.global_.value}" if method == "global" else ""
    if method in ("features", "hashing"):
        options = f", seed={Masks.seed.value}"
    lines = [
        f"model = {loading(run.capture.model)}",
        f"tokens = read_tokens(model, {text!r}, {MAX_TOKENS})",
        f"head = run_masked(model, tokens, {text!r}).capture.head({layer}, {head})",
        f"weights, n_products = approximate(head, {method!r}, {size}{options})",
        "attention_heatmap(weights, tokens.pieces)",
    ]
    uses = (load_model, read_tokens, run_masked, attention_heatmap)
    return ViewCode("\n".join(lines), approximate, uses, PAPERS[method])


EXPLANATIONS = {
    "window": N_(
        "Longformer: a token attends to r tokens on each side. Code that computes all n × n "
        "scores and hides some saves nothing; these numbers are for code that skips them."
    ),
    "global": N_(
        "Longformer and BigBird: besides the window, the first g tokens attend to all tokens, "
        "and all tokens to them."
    ),
    "low_rank": N_(
        "Linformer projects n keys to k, so its weights are n × k. The figure shows the matrix "
        "of rank k that is nearest to this head's weights."
    ),
    "features": N_(
        "Performer replaces exp(q·k) by φ(q)·φ(k) and never computes n × n scores. The figure "
        "has m positive random features, drawn with the seed."
    ),
    "hashing": N_(
        "Reformer: a query attends only to keys in the same hash bucket. The list by number of "
        "tokens assumes b buckets of equal size."
    ),
}
