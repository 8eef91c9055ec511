"""Every head of both models on this sentence: what it does, by which rule, in numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.labels import LABELS, MIXED, Label, labels_of
from pages.heads.beyond import Beyond, beyond, column_names
from pages.heads.panel import panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, is_decoder, named
from pages.shared import captures, words
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
    st.caption(_introduced(left, right))
    names_known = _applicable(left, right)
    wanted = [name for name in st.session_state["labels_wanted"] if name in names_known]
    if wanted != st.session_state["labels_wanted"]:
        st.session_state["labels_wanted"] = wanted
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
            names_known,
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
    rules({is_decoder(shown) for shown in (left, right)})


def _introduced(left: Shown, right: Shown) -> str:
    if is_decoder(left) or is_decoder(right):
        return _(
            "What every head does, the clearest first: those that do it whatever the sentence "
            "(grammar over a corpus; of a decoder, patterns in random tokens), then those with a "
            "pattern **on this sentence**, by the rules stated below. Click a row to see its head, "
            "a column's name to sort."
        )
    return _(
        "What every head does, the clearest first: those that follow grammar over a corpus, "
        "then those with a pattern **on this sentence**, by the rules stated below. Click a "
        "row to see its head, a column's name to sort."
    )


def _applicable(*sides: Shown) -> list[str]:
    """The labels that heads of either side may get."""
    known = {name for shown in sides for name in labels_of(shown.capture.stack)}
    return [name for name in LABELS if name in known]


def _measures(*sides: Shown) -> dict[str, str]:
    """The measures of these sides' heads that are listed: their columns' names."""
    names = {
        "entropy": _("entropy (nats)"),
        "distance": _("distance (tokens)"),
        "cls": _("on [CLS]"),
        "sep": _("on [SEP]"),
        "first": _("on the first"),
        "punctuation": _("on punctuation"),
        "previous": _("on the previous"),
        "next": _("on the next"),
        "self": _("on itself"),
        "same": _("on the same word"),
        "duplicate": _("on the same before"),
        "induction": _("on what followed it before"),
    }
    asked = {"entropy", "distance", *_applicable(*sides)}
    return {measure: name for measure, name in names.items() if measure in asked}


def _table(left: Shown, right: Shown) -> None:
    sides = [each for each in (left, right) if each.side in st.session_state["labels_models"]]
    rows = sorted((row for shown in sides for row in _rows(shown)), key=lambda row: row.clearness)
    if not rows:
        st.info(_("No head of this sentence has these labels."))
        return
    beyond_name, called_name = column_names({is_decoder(shown) for shown in sides})
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
            "grammar": st.column_config.TextColumn(beyond_name, width=260),
            "label": st.column_config.TextColumn(_("on this sentence"), width=125),
            "why": st.column_config.TextColumn(_("because"), width=300),
            "corpus": called_name,
            **{
                measure: st.column_config.NumberColumn(name, format="%.4f")
                for measure, name in _measures(*sides).items()
            },
        },
    )
    st.caption(_("{count} heads").format(count=len(rows)))


def _rows(shown: Shown) -> Iterator[Row]:
    """Every head of a side that has one of the wanted labels."""
    told = words.labels()
    wanted = st.session_state["labels_wanted"] or LABELS
    recipe = shown.recipe
    found = captures.labelled(recipe.model, recipe.text, recipe.text_pair)
    measured = captures.profiled(recipe.model, recipe.text, recipe.text_pair)
    known = beyond(shown)
    for layer, head in np.ndindex(shown.capture.n_layers, shown.capture.n_heads):
        label = found[layer][head]
        if label.name not in wanted:
            continue
        always = known[layer][head]
        yield Row(
            _clearness(label, always),
            (shown.side, layer, head),
            {
                "head": head_name(layer, head),
                "model": shown.name,
                "grammar": always.said,
                "label": told[label.name],
                "why": words.why(label),
                "corpus": always.label,
                **{name: float(measured[name][layer, head]) for name in _measures(shown)},
            },
        )


def _clearness(label: Label, always: Beyond) -> tuple[int, int, float]:
    """Sorts what a head always does before patterns here, and those before none."""
    if always.clear is not None:
        return 0, 0, -always.clear
    if label.name == MIXED:
        return 2, 0, -label.value / label.threshold
    return 1, LABELS.index(label.name), -label.value
