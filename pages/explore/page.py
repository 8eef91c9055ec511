"""Explore: one sentence, two models, every head."""

import time
from functools import partial

import streamlit as st

from model import MAX_TOKENS
from pages.explore.address import PARAMETERS
from pages.explore.details import details
from pages.explore.predictions import predictions
from pages.explore.training import training
from pages.shared import address, sentence
from pages.shared.decisions import decision
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from pages.shared.overviews import overview
from pages.shared.recipe import SIDES, Recipe, Shown
from viz import Side


def head_start(n_bytes: int) -> float:
    """Seconds that the overviews are ahead of the heatmaps, so that they are drawn first.

    A browser draws at once whatever has arrived, and Plotly's charts before anything else: without
    a head start the overviews appear 0.1 to 0.2 s later. The price is paid at the end: the heatmaps
    come up to some 50 ms later at 128 tokens, and no later than the noise at 16.

    Args:
        n_bytes: Size of the overviews on their way; at 128 tokens about 2.4 MB each.
    """
    return 0.05 + 15e-9 * n_bytes


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    ready = sentence.ask()
    _options()
    tokens = st.container()
    columns = st.columns(2)
    models = []
    labels = {"left": _("Left model"), "right": _("Right model")}
    for side, column in zip(SIDES, columns, strict=True):
        with column:
            models.append(pick_model(side, labels[side]))
    if not ready:
        address.keep(PARAMETERS)
        return
    recipes = [Recipe.of_session(s, m.name) for s, m in zip(SIDES, models, strict=True)]
    left, right = (recipe.show() for recipe in recipes)
    limits = {s: min(m.max_len, MAX_TOKENS) for s, m in zip(SIDES, models, strict=True)}
    with tokens:
        sentence.show_tokens(left, right, limits)
    n_bytes = 0
    for shown, column in zip((left, right), columns, strict=True):
        with column:
            n_bytes += _overview(shown)
            predictions(shown.recipe)
            decision(shown.recipe)
    for side, model in zip(SIDES, models, strict=True):
        training(side, model.name)
    time.sleep(head_start(n_bytes))
    details(*recipes)


def _options() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence.offer_examples()
        st.toggle(
            _("Merge word pieces"),
            key="words",
            on_change=sentence.forget_picks,
            persist_state="session",
            help=_("Attention to a word is the sum over its pieces, from a word their mean."),
        )
        names = {
            "show": _("Show special tokens"),
            "hide": _("Hide them: rows sum to what remains"),
            "renormalise": _("Hide them and renormalise rows to 1"),
        }
        st.selectbox(
            _("Special tokens"),
            list(names),
            format_func=names.__getitem__,
            key="special",
            on_change=sentence.forget_picks,
            persist_state="session",
            label_visibility="collapsed",
            width=300,
        )


def _overview(shown: Shown) -> int:
    """Draw all heads of a side; the bytes that it sends."""
    if not shown.units:
        return 0
    capture = shown.capture
    return overview(
        shown.weights(capture.weights),
        shown.labels,
        key=f"overview_{shown.side}",
        side=shown.side,
        hue=shown.side,
        model=capture.model,
        sentence=capture.text,
        description=_(
            "Overview of all heads of {model}: {layers} layers down, {heads} heads across. "
            "Arrow keys move the selection."
        ).format(model=capture.model, layers=capture.n_layers, heads=capture.n_heads),
        on_picked=partial(_select_head, shown.side),
        on_overlaid=partial(_overlay_head, shown.side),
    )


def _select_head(side: Side) -> None:
    cell = st.session_state[f"overview_{side}"].picked
    prefix = "right_" if side == "right" and not st.session_state["linked"] else ""
    st.session_state[f"{prefix}layer"] = int(cell["layer"])
    st.session_state[f"{prefix}head"] = int(cell["head"])
    st.rerun("details")


def _overlay_head(side: Side) -> None:
    cell = st.session_state[f"overview_{side}"].overlaid
    head = (int(cell["layer"]), int(cell["head"]))
    heads = [tuple(pair) for pair in st.session_state["overlaid"]]
    st.session_state["overlaid"] = [h for h in heads if h != head] + [head] * (head not in heads)
    st.session_state["view"] = "lines"
    st.rerun("details")


main()
