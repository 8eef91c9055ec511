"""The part "What heads do": the label of every head with its rule and its measures."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.labels import LABELS, MIXED, Label, labels_of
from pages.heads.general_behaviour import GeneralBehaviour, column_names, general_behaviour
from pages.heads.panel import panel
from pages.heads.rules import rules
from pages.heads.selection import Place, head_table, is_decoder, named
from web.cache import captures
from web.language import _, plain
from web.widgets import label_names
from web.widgets.head_picker import head_name
from web.widgets.sides import SIDES, SideRequest, SideView


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        order: Sort key; heads with the clearest behaviour come first.
        place: The head.
        cells: Values by column.
    """

    order: tuple[int, int, float]
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
    table, selected = st.columns([8, 5])
    with table:
        _table(left, right)
    with selected:
        panel(left, right)
    rules({view.capture.stack for view in (left, right)})


def _introduction(left: SideView, right: SideView) -> str:
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


def _applicable(*sides: SideView) -> list[str]:
    """Return the labels that heads of either side can have."""
    known = {name for view in sides for name in labels_of(view.capture.stack)}
    return [name for name in LABELS if name in known]


def _measures(*sides: SideView) -> dict[str, str]:
    """Return the listed measures with the names of their columns."""
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
    wanted = {"entropy", "distance", *_applicable(*sides)}
    return {measure: name for measure, name in names.items() if measure in wanted}


def _table(left: SideView, right: SideView) -> None:
    sides = [each for each in (left, right) if each.side in st.session_state["labels_models"]]
    rows = sorted((row for view in sides for row in _rows(view)), key=lambda row: row.order)
    if not rows:
        st.info(_("No head of this sentence has these labels."))
        return
    behaviour_name, corpus_name = column_names({view.capture.stack for view in sides})
    head_table(
        pd.DataFrame([row.cells for row in rows]),
        [row.place for row in rows],
        "labels_table",
        height=560,
        alt=_("Every head with its label and its measures"),
        columns={
            "head": st.column_config.TextColumn(_("head"), pinned=True),
            "model": _("model"),
            # Widths for the texts: Streamlit measures only the first rows and does not wrap text in
            # rows of this height. All three columns fit on a laptop's screen.
            "grammar": st.column_config.TextColumn(behaviour_name, width=260),
            "label": st.column_config.TextColumn(_("on this sentence"), width=125),
            "why": st.column_config.TextColumn(_("because"), width=300),
            "corpus": corpus_name,
            **{
                measure: st.column_config.NumberColumn(name, format="%.4f")
                for measure, name in _measures(*sides).items()
            },
        },
    )
    st.caption(_("{count} heads").format(count=len(rows)))


def _rows(view: SideView) -> Iterator[Row]:
    """Yield the rows of a side's heads that have one of the wanted labels."""
    label_texts = label_names.labels()
    wanted = st.session_state["labels_wanted"] or LABELS
    request = view.request
    found = captures.head_labels(request.model, request.text, request.text_pair)
    measured = captures.head_measures(request.model, request.text, request.text_pair)
    known = general_behaviour(view)
    for layer, head in np.ndindex(view.capture.n_layers, view.capture.n_heads):
        label = found[layer][head]
        if label.name not in wanted:
            continue
        always = known[layer][head]
        yield Row(
            _sort_key(label, always),
            (view.side, layer, head),
            {
                "head": head_name(layer, head),
                "model": view.name,
                "grammar": always.finding,
                "label": label_texts[label.name],
                "why": label_names.why(label),
                "corpus": always.label,
                **{name: float(measured[name][layer, head]) for name in _measures(view)},
            },
        )


def _sort_key(label: Label, always: GeneralBehaviour) -> tuple[int, int, float]:
    """Sort general behaviour before patterns on this sentence, and those before no pattern."""
    if always.strength is not None:
        return 0, 0, -always.strength
    if label.name == MIXED:
        return 2, 0, -label.value / label.threshold
    return 1, LABELS.index(label.name), -label.value
