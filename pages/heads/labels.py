"""The part "What heads do": a sentence on every head, its label and its measures."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.labels import LABELS, MIXED, Label, labels_of
from model.analysis.measures import MEASURES
from pages.heads.general_behaviour import (
    INFORMATIVE,
    GeneralBehaviour,
    column_name,
    general_behaviour,
)
from pages.heads.panel import panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, is_decoder, named
from web.cache import captures
from web.language import _, plain
from web.widgets import label_names
from web.widgets.head_picker import head_name
from web.widgets.sides import SIDES, SideRequest, SideView
from web.widgets.tables import ROW

TALL_ROW = 70
"""Height in pixels of a row with three lines. Streamlit wraps text only above 4 rem (68)."""

HEIGHT = ROW + 8 * TALL_ROW + 2
"""Height of the table in pixels: whole rows."""


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        order: Sort key; heads with the clearest behaviour come first.
        place: The head.
        cells: Values by column.
    """

    order: tuple[int, float]
    place: Place
    cells: dict[str, object]


def labels(left_side: SideRequest, right_side: SideRequest) -> None:
    """Draw the filters, the table, the selected head and the rules."""
    left, right = left_side.view(), right_side.view()
    label_texts = label_names.labels()
    st.caption(_introduction(left, right))
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
            format_func=label_texts.__getitem__,
            selection_mode="multi",
            key="labels_wanted",
            persist_state="session",
        )
    table, selected = st.columns([7, 5])
    with table:
        _table(left, right)
    with selected:
        panel(left, right)
    rules({view.capture.stack for view in (left, right)})


def _introduction(left: SideView, right: SideView) -> str:
    sentences = [
        _(
            "Heads with the clearest pattern come first. Shares of attention are means over "
            "**this sentence**. Cases are pairs of words in a corpus."
        ),
        _("For a decoder's head, the pattern on random tokens is shown.")
        if is_decoder(left) or is_decoder(right)
        else "",
        _("Click a row to see its head. A label describes where a head looks, not its effect."),
    ]
    return " ".join(filter(None, sentences))


def _applicable(*sides: SideView) -> list[str]:
    """Return the labels that heads of either side can have."""
    known = {name for view in sides for name in labels_of(view.capture.stack)}
    return [name for name in LABELS if name in known]


def _measures(*sides: SideView) -> list[str]:
    """Return the measures that apply to heads of either side."""
    stacks = {view.capture.stack for view in sides}
    return [measure.key for measure in MEASURES if measure.stacks & stacks]


def _table(left: SideView, right: SideView) -> None:
    sides = [each for each in (left, right) if each.side in st.session_state["labels_models"]]
    rows = sorted((row for view in sides for row in _rows(view)), key=lambda row: row.order)
    if not rows:
        st.info(_("No head has these labels on this sentence."))
        return
    # The toolbar of a table covers the line above it, at its right end.
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("{count} heads").format(count=len(rows)), width="content")
        st.toggle(_("All measures"), key="labels_measures", persist_state="session")
    names = label_names.measures()
    measures = _measures(*sides) if st.session_state["labels_measures"] else []
    table = pd.DataFrame([row.cells for row in rows])
    if not st.session_state["labels_measures"]:
        table = table.drop(columns=["corpus"])
    head_table(
        table,
        [row.place for row in rows],
        "labels_table",
        height=min(HEIGHT, ROW + len(rows) * TALL_ROW + 2),
        row_height=TALL_ROW,
        alt=_("Every head with its behaviour in a sentence, its label and its measures"),
        columns={
            "head": st.column_config.TextColumn(_("Head"), pinned=True),
            "model": st.column_config.TextColumn(_("Model"), width=70),
            "does": st.column_config.TextColumn(_("Behaviour"), width=240),
            "label": st.column_config.TextColumn(_("Label on this sentence"), width=110),
            "corpus": column_name({view.capture.stack for view in sides}),
            **{
                measure: st.column_config.NumberColumn(names[measure].name, format="%.4f")
                for measure in measures
            },
        },
    )


def _rows(view: SideView) -> Iterator[Row]:
    """Yield the rows of a side's heads that have one of the wanted labels."""
    label_texts = label_names.labels()
    wanted = st.session_state["labels_wanted"] or LABELS
    request = view.request
    found = captures.head_labels(request.model, request.text, request.text_pair)
    measured = captures.head_measures(request.model, request.text, request.text_pair)
    measures = _measures(view) if st.session_state["labels_measures"] else []
    known = general_behaviour(view)
    for layer, head in np.ndindex(view.capture.n_layers, view.capture.n_heads):
        label = found[layer][head]
        if label.name not in wanted:
            continue
        always = known[layer][head]
        order = _sort_key(label, always)
        shows_general = order[0] == 1
        yield Row(
            order,
            (view.side, layer, head),
            {
                "head": head_name(layer, head),
                "model": view.name,
                "does": always.finding if shows_general else label_names.why(label),
                "label": "–" if shows_general and label.name == MIXED else label_texts[label.name],
                "corpus": always.label,
                **{name: float(measured[name][layer, head]) for name in measures},
            },
        )


def _sort_key(label: Label, always: GeneralBehaviour) -> tuple[int, float]:
    """Sort functions on this sentence first, then general behaviour, sinks, and no pattern."""
    if label.name in INFORMATIVE:
        return 0, -label.value
    if always.strength is not None:
        return 1, -always.strength
    return (3 if label.name == MIXED else 2), -label.value / label.threshold
