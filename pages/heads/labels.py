"""Every head of both models on this sentence: what it does, by which rule, in numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.grammar.relations import Finding
from model.analysis.labels import LABELS, MIXED, Label
from pages.heads.panel import panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, named
from pages.shared import cache, words
from pages.shared.about_head import atlas_of
from pages.shared.head_picker import head_name
from pages.shared.language import _, plain
from pages.shared.recipe import SIDES, Recipe, Shown


@dataclass(frozen=True)
class Row:
    """A head in the table.

    Attributes:
        clearness: The clearer what it does, the smaller.
        place: Whose head it is, and which.
        cells: By the names of the columns.
    """

    clearness: tuple[int, int, float]
    place: Place
    cells: dict[str, object]


def labels(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the filters, the table, the selected head and the rules."""
    left, right = left_side.show(), right_side.show()
    told = words.labels()
    st.caption(
        _(
            "What every head does, the clearest first: those that follow grammar over a corpus, "
            "then those with a pattern **on this sentence**, by the rules stated below. Click a "
            "row to see its head, a column's name to sort."
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
    table, selected = st.columns([8, 5])
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
    wanted = st.session_state["labels_models"]
    rows = sorted(
        (row for shown in (left, right) if shown.side in wanted for row in _rows(shown)),
        key=lambda row: row.clearness,
    )
    if not rows:
        st.info(_("No head of this sentence has these labels."))
        return
    head_table(
        pd.DataFrame([row.cells for row in rows]),
        [row.place for row in rows],
        "labels_table",
        height=560,
        alt=_("Every head with its label and its measures"),
        columns={
            "head": st.column_config.TextColumn(_("head"), pinned=True),
            "model": _("model"),
            # As wide as their texts: Streamlit measures the first rows alone. All three stand on a
            # laptop's screen, since it wraps no text in rows of this height.
            "grammar": st.column_config.TextColumn(
                _("grammar (baseline), over a corpus"), width=260
            ),
            "label": st.column_config.TextColumn(_("on this sentence"), width=125),
            "why": st.column_config.TextColumn(_("because"), width=300),
            "corpus": _("over a corpus"),
            **{
                measure: st.column_config.NumberColumn(name, format="%.4f")
                for measure, name in _measures().items()
            },
        },
    )
    st.caption(_("{count} heads").format(count=len(rows)))


def _rows(shown: Shown) -> Iterator[Row]:
    """Every head of a side that has one of the wanted labels."""
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
        yield Row(
            _clearness(label, follows),
            (shown.side, layer, head),
            {
                "head": head_name(layer, head),
                "model": shown.name,
                "grammar": words.finding_in_brief(follows) if follows else "–",
                "label": told[label.name],
                "why": words.why(label),
                "corpus": told[atlas.labels[layer][head].name] if atlas else "–",
                **{name: float(measured[name][layer, head]) for name in _measures()},
            },
        )


def _clearness(label: Label, follows: Finding | None) -> tuple[int, int, float]:
    """Sorts grammar before patterns, patterns before none, and the strongest first of each."""
    if follows is not None:
        return 0, 0, -follows.lead
    if label.name == MIXED:
        return 2, 0, -label.value / label.threshold
    return 1, LABELS.index(label.name), -label.value
