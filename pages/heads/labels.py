"""The part "What heads do": the pattern of every head, its labels and its measures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.labels import BROAD, LABELS, MIXED, Label, labels_of
from model.analysis.measures import MEASURES
from pages.heads import examples
from pages.heads.general_behaviour import INFORMATIVE, column_name, general_behaviour
from pages.heads.panel import beside_panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, is_decoder, names_of
from pages.heads.url import Heads
from web.cache import captures
from web.language import _
from web.measure_names import measure_names
from web.subject import Subject
from web.widgets import label_names
from web.widgets.head_picker import head_name
from web.widgets.tables import ROW

BROAD_GROUP = 2
"""Sorts broad heads after those that look at one kind of token."""

ROWS, GENERAL_ROWS = 8, 5
"""Rows in view of the table of this sentence, and of each table of general behaviour."""


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    order: tuple[int, float]
    place: Place
    cells: dict[str, object]


def labels(left: Subject, right: Subject) -> None:
    """Draw the filters, the table, the selected head and the rules."""
    label_texts = label_names.labels()
    st.caption(
        _(
            "Each row is a head; select a row to see where it looks. First come heads that look at "
            "neighbours, at the token itself or at the same word. Then come heads that look at "
            "special tokens or punctuation. In each group the largest share comes first."
        )
    )
    names_known = _applicable(left, right)
    wanted = [name for name in Heads.labels.value if name in names_known]
    if wanted != Heads.labels.value:
        Heads.labels.value = wanted
    shown = [each for each in (left, right) if each.side in Heads.models.value]
    rows = sorted((row for view in shown for row in _rows(view)), key=lambda row: row.order)
    examples.select_clearest(row.place for row in rows)
    with beside_panel(left, right, (1, 1)):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            Heads.models.draw(options=names_of(left, right))
            Heads.labels.draw(options={name: label_texts[name] for name in names_known})
        _table(shown, rows)
        if not wanted:  # labels filter by the pattern on this sentence
            _general(shown)
        st.caption(_("A pattern describes where a head looks, not its effect on the output."))
    rules({view.capture().stack for view in (left, right)})


def _applicable(*sides: Subject) -> list[str]:
    """Return the labels that heads of either side can have."""
    known = {name for view in sides for name in labels_of(view.capture().stack)}
    return [name for name in LABELS if name in known]


def _measures(*sides: Subject) -> list[str]:
    """Return the measures that apply to heads of either side."""
    stacks = {view.capture().stack for view in sides}
    return [measure.key for measure in MEASURES if measure.stacks & stacks]


def _table(sides: list[Subject], rows: list[Row]) -> None:
    """Draw the pattern of every head on this sentence, and with it all measures on request."""
    if not rows:
        st.info(_("No head has these labels on this sentence."))
        return
    # The toolbar of a table covers the line above it, at its right end.
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            _("**On this sentence**: {count} heads").format(count=len(rows)), width="content"
        )
        further = Heads.measures.draw()
    names = measure_names()
    table = pd.DataFrame([row.cells for row in rows])
    _shares(
        table if further else table.drop(columns="corpus"),
        rows,
        "labels_table",
        ROWS,
        (_("Attention"), 78),
        _("How much of the head's attention fits the pattern, on average over this sentence."),
        {
            "corpus": column_name({view.capture().stack for view in sides}),
            **{
                measure: st.column_config.NumberColumn(names[measure].name, format="%.4f")
                for measure in (_measures(*sides) if further else [])
            },
        },
    )


def _general(sides: list[Subject]) -> None:
    """Draw heads by their behaviour on any sentence: encoders over a corpus, decoders on tokens."""
    grammar = _general_rows([view for view in sides if not is_decoder(view)])
    if grammar:
        st.caption(_("**Grammar over a corpus**: {count} heads").format(count=len(grammar)))
        _shares(
            pd.DataFrame([row.cells for row in grammar]),
            grammar,
            "grammar_table",
            GENERAL_ROWS,
            (_("Cases"), 60),
            _("In how many cases of a corpus the head looks from the first word to the second."),
        )
    random = _general_rows([view for view in sides if is_decoder(view)])
    if random:
        st.caption(_("**On random tokens**: {count} heads").format(count=len(random)))
        _shares(
            pd.DataFrame([row.cells for row in random]),
            random,
            "random_table",
            GENERAL_ROWS,
            (_("Attention"), 78),
            _("How much of the head's attention fits the pattern, on average over random tokens."),
        )


def _shares(
    table: pd.DataFrame,
    rows: list[Row],
    key: str,
    n_shown: int,
    measure: tuple[str, int],
    explanation: str,
    further: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Draw a table of heads with one measure: the name of the column, and its width in pixels."""
    name, width = measure
    head_table(
        table,
        [row.place for row in rows],
        key,
        height=ROW * (min(n_shown, len(rows)) + 1) + 2,
        alt=_("Heads with their pattern and its share"),
        columns={
            "head": st.column_config.TextColumn(_("Head"), width=60, pinned=True),
            "model": st.column_config.TextColumn(_("Model"), width=60),
            # A phone has space for all columns if these two have 180 pixels.
            "does": st.column_config.TextColumn(_("Pattern"), width=180 - width),
            "share": st.column_config.NumberColumn(name, width=width, help=explanation),
            **further,
        },
        percents=["share"],
    )


def _rows(view: Subject) -> Iterator[Row]:
    """Yield the rows of a side's heads that have one of the wanted labels on this sentence."""
    label_texts = label_names.labels()
    wanted = Heads.labels.value or LABELS
    found = captures.head_labels(view.model, view.text, view.text_pair)
    measured = captures.head_measures(view.model, view.text, view.text_pair)
    measures = _measures(view) if Heads.measures.value else []
    known = general_behaviour(view)
    for layer, head in np.ndindex(view.capture().n_layers, view.capture().n_heads):
        label = found[layer][head]
        if label.name not in wanted:
            continue
        group = _group(label)
        yield Row(
            (group, -label.value),
            (view.side, layer, head),
            {
                **_named(view, layer, head),
                "does": label_texts[label.name],
                # The value of the other groups is no share of attention to one kind of token.
                "share": label.value if group < BROAD_GROUP else None,
                "corpus": known[layer][head].label,
                **{name: float(measured[name][layer, head]) for name in measures},
            },
        )


def _general_rows(sides: list[Subject]) -> list[Row]:
    """Return the rows of the heads whose general behaviour is known, the largest share first."""
    rows = [
        Row(
            (0, -found.share),
            (view.side, layer, head),
            {**_named(view, layer, head), "does": found.pattern, "share": found.share},
        )
        for view in sides
        for layer, heads in enumerate(general_behaviour(view))
        for head, found in enumerate(heads)
        if found.pattern
    ]
    return sorted(rows, key=lambda row: row.order)


def _named(view: Subject, layer: int, head: int) -> dict[str, object]:
    return {"head": head_name(layer, head), "model": view.name}


def _group(label: Label) -> int:
    """Return the group by which a label sorts."""
    if label.name in INFORMATIVE:
        return 0
    return {BROAD: BROAD_GROUP, MIXED: BROAD_GROUP + 1}.get(label.name, 1)
