"""Which head links X to Y: the heads of both models, ranked by that one weight."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.links import link_weights, ranked
from model.analysis.units import counterparts
from pages.heads.panel import head_table, panel, select
from pages.shared import cache, words
from pages.shared.head_picker import head_name
from pages.shared.language import _, plain
from pages.shared.recipe import Recipe, Shown
from viz import Side, shortened

SHOWN = 12


def links(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the choice of both ends, the ranking, and the selected head."""
    left, right = left_side.show(), right_side.show()
    st.caption(
        _(
            "Choose the words that attend and the words attended to: the heads of both models are "
            "ranked by the share of attention that goes from one to the other."
        )
    )
    labels = left.labels
    for key, name in (("link_query", _("From (query)")), ("link_key", _("To (key)"))):
        st.session_state[key] = [i for i in st.session_state[key] if i < len(labels)]
        st.pills(
            name,
            range(len(labels)),
            format_func=lambda i: plain(labels[i]),
            selection_mode="multi",
            key=key,
            on_change=_show_strongest,
            args=(left_side, right_side),
            persist_state="session",
        )
    queries, keys = st.session_state["link_query"], st.session_state["link_key"]
    if not queries or not keys:
        st.info(_("Click a word in each row."))
        return
    table, selected = st.columns([3, 2])
    with table:
        _table(left, right, queries, keys)
    with selected:
        panel(left, right)


def _found(
    left: Shown, right: Shown, queries: list[int], keys: list[int]
) -> list[tuple[float, Shown, int, int, float]]:
    """Weight, side, layer, head and a uniform head's weight, strongest first."""
    found = []
    for shown in (left, right):
        ours, theirs = (
            list(counterparts(ends, left.units, shown.units)) if shown is right else ends
            for ends in (queries, keys)
        )
        if not ours or not theirs:
            continue
        weights = link_weights(shown.weights(shown.capture.weights), ours, theirs)
        # A head that attends to all tokens alike, seen through the same words and special tokens.
        n_tokens = len(shown.capture.tokens)
        alike = shown.weights(np.full((1, 1, n_tokens, n_tokens), 1 / n_tokens))
        uniform = float(link_weights(alike, ours, theirs)[0, 0])
        for layer, head in ranked(weights)[:SHOWN]:
            found.append((float(weights[layer, head]), shown, layer, head, uniform))
    return sorted(found, key=lambda row: -row[0])[:SHOWN]


def _show_strongest(left_side: Recipe, right_side: Recipe) -> None:
    """A callback: once both ends are chosen, the strongest head is the selected one."""
    queries, keys = st.session_state["link_query"], st.session_state["link_key"]
    if queries and keys:
        found = _found(left_side.show(), right_side.show(), queries, keys)
        if found:
            _weight, shown, layer, head, _uniform = found[0]
            select(shown.side, layer, head)


def _table(left: Shown, right: Shown, queries: list[int], keys: list[int]) -> None:
    found = _found(left, right, queries, keys)
    told = words.labels()
    heads: list[tuple[Side, int, int]] = [(s.side, layer, head) for _w, s, layer, head, _u in found]
    rows = []
    for weight, shown, layer, head, uniform in found:
        recipe = shown.recipe
        label = cache.labelled(recipe.model, recipe.text, recipe.text_pair)[layer][head]
        rows.append(
            {
                "model": shown.capture.model,
                "head": head_name(layer, head),
                "weight": weight,
                "uniform": uniform,
                "times": weight / uniform,
                "label": told[label.name],
            }
        )
    ends = [", ".join(left.labels[i] for i in chosen) for chosen in (queries, keys)]
    st.markdown("**{}**".format(plain(shortened(" → ".join(ends), 80))))
    head_table(
        pd.DataFrame(rows),
        heads,
        "links_table",
        height="content",
        alt=_("Heads by the attention that links the chosen words"),
        columns={
            "model": _("model"),
            "head": _("head"),
            "weight": st.column_config.ProgressColumn(
                _("weight"), format="%.4f", min_value=0.0, max_value=1.0
            ),
            "uniform": st.column_config.NumberColumn(_("a uniform head's"), format="%.4f"),
            "times": st.column_config.NumberColumn(_("times that"), format="%.1f"),
            "label": _("on this sentence"),
        },
    )
    st.caption(
        _(
            "Of several words that attend the mean is taken; several attended to are added up. A "
            "head that attends to every token alike would give the share under “a uniform head's”."
        )
    )
