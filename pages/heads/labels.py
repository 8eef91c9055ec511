"""Every head of both models on this sentence: what it does, by which rule, in numbers."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.labels import LABELS
from pages.heads.panel import panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, named
from pages.shared import cache, words
from pages.shared.about_head import atlas_of
from pages.shared.head_picker import head_name
from pages.shared.language import _, plain
from pages.shared.recipe import SIDES, Recipe, Shown


def labels(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the filters, the table, the selected head and the rules."""
    left, right = left_side.show(), right_side.show()
    told = words.labels()
    st.caption(
        _(
            "What every head does **on this sentence**, by rules that are stated below; beside it "
            "what it does over a corpus. Click a row to see its head, a column's name to sort."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {"left": named(left, right), "right": named(right, left)}
        st.pills(
            _("Models"),
            SIDES,
            format_func=lambda side: plain(names[side]),
            selection_mode="multi",
            key="labels_models",
            persist_state="session",
        )
        st.pills(
            _("Labels"),
            LABELS,
            format_func=told.__getitem__,
            selection_mode="multi",
            key="labels_wanted",
            persist_state="session",
        )
    table, selected = st.columns([3, 2])
    with table:
        _table(left, right)
    with selected:
        panel(left, right)
    rules()


def _measures() -> dict[str, str]:
    """The measures of a head that are listed: their columns' names."""
    return {
        "entropy": _("entropy (nats)"),
        "distance": _("distance (tokens)"),
        "cls": _("on [CLS]"),
        "sep": _("on [SEP]"),
        "punctuation": _("on punctuation"),
        "previous": _("on the previous"),
        "next": _("on the next"),
        "self": _("on itself"),
        "same": _("on the same word"),
    }


def _table(left: Shown, right: Shown) -> None:
    places: list[Place] = []
    rows: list[dict[str, object]] = []
    for shown in (left, right):
        if shown.side in st.session_state["labels_models"]:
            for (layer, head), row in _rows(shown):
                places.append((shown.side, layer, head))
                rows.append(row)
    if not rows:
        st.info(_("No head of this sentence has these labels."))
        return
    head_table(
        pd.DataFrame(rows),
        places,
        "labels_table",
        height=560,
        alt=_("Every head with its label and its measures"),
        columns={
            "model": _("model"),
            "head": st.column_config.TextColumn(_("head"), pinned=True),
            "label": st.column_config.TextColumn(_("label"), pinned=True),
            "why": _("because"),
            "corpus": _("over a corpus"),
            # As wide as its text: Streamlit measures the first rows alone.
            "grammar": st.column_config.TextColumn(_("grammar"), width=270),
            **{
                measure: st.column_config.NumberColumn(name, format="%.4f")
                for measure, name in _measures().items()
            },
        },
    )
    st.caption(_("{count} heads").format(count=len(rows)))


def _rows(shown: Shown) -> Iterator[tuple[tuple[int, int], dict[str, object]]]:
    """Every head of a side that has one of the wanted labels: layer and head, and its row."""
    told = words.labels()
    wanted = st.session_state["labels_wanted"] or LABELS
    recipe = shown.recipe
    found = cache.labelled(recipe.model, recipe.text, recipe.text_pair)
    measured = cache.profiled(recipe.model, recipe.text, recipe.text_pair)
    atlas = atlas_of(recipe.model)
    for layer, head in np.ndindex(shown.capture.n_layers, shown.capture.n_heads):
        label = found[layer][head]
        if label.name not in wanted:
            continue
        follows = atlas.follows(layer, head) if atlas else None
        yield (
            (layer, head),
            {
                "model": shown.capture.model,
                "head": head_name(layer, head),
                "label": told[label.name],
                "corpus": told[atlas.labels[layer][head].name] if atlas else "–",
                "grammar": words.finding(follows) if follows else "–",
                "why": words.why(label),
                **{name: float(measured[name][layer, head]) for name in _measures()},
            },
        )
