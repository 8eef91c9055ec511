"""The part "What heads do": the pattern of every head, its labels and its measures."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.labels import LABELS, MIXED, Label, labels_of
from model.analysis.measures import MEASURES
from pages.heads import examples
from pages.heads.general_behaviour import (
    INFORMATIVE,
    GeneralBehaviour,
    column_name,
    general_behaviour,
)
from pages.heads.panel import beside_panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, is_decoder, named
from web.cache import captures
from web.language import _, plain
from web.widgets import label_names
from web.widgets.head_picker import head_name
from web.widgets.sides import SIDES, SideRequest, SideView
from web.widgets.tables import ROW

HEIGHT = 13 * ROW + 2
"""Height of the table in pixels: the header and whole rows."""


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
    shown = [each for each in (left, right) if each.side in st.session_state["labels_models"]]
    rows = sorted((row for view in shown for row in _rows(view)), key=lambda row: row.order)
    examples.select_clearest(row.place for row in rows)
    with beside_panel(left, right, (1, 1)):
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
        _table(shown, rows)
    rules({view.capture.stack for view in (left, right)})


def _introduction(left: SideView, right: SideView) -> str:
    sentences = [
        _(
            "Each row is a head; the clearest patterns come first. Select a row to see where its "
            "head looks."
        ),
        _("For a decoder's head, the pattern on random tokens is shown.")
        if is_decoder(left) or is_decoder(right)
        else "",
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


def _table(sides: list[SideView], rows: list[Row]) -> None:
    if not rows:
        st.info(_("No head has these labels on this sentence."))
        return
    # The toolbar of a table covers the line above it, at its right end.
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("{count} heads").format(count=len(rows)), width="content")
        st.toggle(_("All measures"), key="labels_measures", persist_state="session")
    names = label_names.measures()
    further = st.session_state["labels_measures"]
    table = pd.DataFrame([row.cells for row in rows])
    head_table(
        table if further else table.drop(columns=["label", "corpus"]),
        [row.place for row in rows],
        "labels_table",
        height=min(HEIGHT, ROW * (len(rows) + 1) + 2),
        alt=_("Every head with its pattern, its labels and its measures"),
        columns={
            "head": st.column_config.TextColumn(_("Head"), width=60, pinned=True),
            "model": st.column_config.TextColumn(_("Model"), width=60),
            "does": st.column_config.TextColumn(_("Pattern")),
            "share": st.column_config.NumberColumn(_("Share"), format="percent", width=68),
            "label": _("Label on this sentence"),
            "corpus": column_name({view.capture.stack for view in sides}),
            **{
                measure: st.column_config.NumberColumn(names[measure].name, format="%.4f")
                for measure in (_measures(*sides) if further else [])
            },
        },
    )
    st.caption(
        _(
            "Share: how much of the head's attention fits the pattern, on average over this "
            "sentence. With an arrow (verb → object): in how many cases of a corpus the head "
            "looks from the first word to the second. A pattern says where a head looks, not what "
            "it causes."
        )
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
        # A chosen label must appear in its rows.
        filtered = bool(st.session_state["labels_wanted"])
        order = _sort_key(label, GeneralBehaviour() if filtered else always)
        name, share = label_texts[label.name], None if label.name == MIXED else label.value
        shows_general = order[0] == 1
        yield Row(
            order,
            (view.side, layer, head),
            {
                "head": head_name(layer, head),
                "model": view.name,
                "does": always.pattern if shows_general else name,
                "share": always.share if shows_general else share,
                "label": name,
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
