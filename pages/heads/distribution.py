"""Results of a survey: the distribution of each head, and the texts at both ends of one head."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.survey.heads_off import Effect
from model.analysis.survey.table import origin_of, write_parquet
from pages.heads.selection import Place, head_table, select, selected
from viz import shortened
from viz.figures.quantiles import LEVELS, quantile_figure
from web.cache import loaded_models
from web.cache.surveys import CHANGE, Survey
from web.language import _, plain
from web.measure_names import measure_names
from web.view_state.address import link
from web.view_state.parameters import write_text
from web.widgets.charts import chart
from web.widgets.export import stem
from web.widgets.head_picker import head_name
from web.widgets.share_link import permalink
from web.widgets.sides import SideView
from web.widgets.tables import ROW, cells

EXPLORE = Path(__file__).parents[1] / "explore" / "page.py"

ENDS = 5
"""Texts at each end of the range."""

HEIGHT = 13 * ROW + 2


def distribution(
    view: SideView, survey: Survey, again: Callable[[], Survey], effect: Effect | None
) -> None:
    """Draw the distribution of a number for every head, and the ends of the selected one.

    Args:
        view: The side of the model.
        survey: With at least one finished text.
        again: Returns the survey, for downloads.
        effect: What the heads that are switched off change; None for measures.
    """
    if effect is None:
        column, quantity = _measure(survey)
    else:
        column, quantity = CHANGE, _("change without the head")
    found = survey.quantiles(column)
    if found.empty:
        st.info(_("This measure applies to none of these texts."))
        return
    if effect is not None:  # the strongest effect first, in either direction
        found = found.sort_values("mean", key=abs, ascending=False, ignore_index=True)
    places: list[Place] = [
        (view.side, layer, head) for layer, head in found[["layer", "head"]].itertuples(index=False)
    ]
    names = [head_name(layer, head) for _side, layer, head in places]
    table, beside = st.columns([1, 1])
    with table:
        _table(found, places, names)
        _downloads(view, again, changed=effect is not None)
    with beside:
        _figure(view, found, places, names, quantity)
        _ends(view, survey, column)


def _measure(survey: Survey) -> tuple[str, str]:
    """Draw the picker of the measure; return its key and its name."""
    state, texts = st.session_state, measure_names()
    if state["survey_measure"] not in survey.columns:
        state["survey_measure"] = survey.columns[0]
    st.selectbox(
        _("Measure"),
        survey.columns,
        format_func=lambda key: f"{texts[key].name} ({texts[key].unit})",
        key="survey_measure",
        persist_state="session",
    )
    key = state["survey_measure"]
    return key, texts[key].name


def _table(found: pd.DataFrame, places: list[Place], names: list[str]) -> None:
    levels = {f"q{round(100 * level):02}": f"{level:.0%}" for level in LEVELS}
    head_table(
        found[["mean", *levels, "texts"]].assign(head=names)[["head", "mean", *levels, "texts"]],
        places,
        "survey_table",
        height=min(HEIGHT, ROW * (len(found) + 1) + 2),
        alt=_("The distribution of every head over the texts"),
        columns={
            "head": st.column_config.TextColumn(_("Head"), width=60, pinned=True),
            "mean": st.column_config.NumberColumn(_("Mean"), format="%.4f", width=69),
            **{
                name: st.column_config.NumberColumn(level, format="%.4f", width=69)
                for name, level in levels.items()
            },
            "texts": st.column_config.NumberColumn(_("Texts"), width=60),
        },
    )
    st.caption(_("5%, 25%, 50%, 75% and 95%: this share of the texts has at most this value."))


def _figure(
    view: SideView, found: pd.DataFrame, places: list[Place], names: list[str], quantity: str
) -> None:
    here = (view.side, *selected(view))
    figure = quantile_figure(
        {level: found[f"q{round(100 * level):02}"].to_numpy() for level in LEVELS},
        names,
        selected=places.index(here) if here in places else None,
        side=view.side,
        quantity=quantity,
        title=view.name,
        translate=_,
    )
    chart(
        figure,
        "quantiles",
        stem("quantiles", view.name, quantity),
        _("Quantiles of {count} heads, as in the table.").format(count=len(places)),
        on_points=partial(_pick, places),
    )


def _pick(places: Sequence[Place], point: int) -> None:
    select(*places[point])


def _ends(view: SideView, survey: Survey, column: str) -> None:
    """Draw links to the texts with the largest and smallest values of the selected head."""
    layer, head = selected(view)
    texts, values = survey.of_head(column, layer, head)
    order = np.argsort(values)
    n_lowest = min(ENDS, len(order) // 2)
    for title, indices in (
        (_("Largest values of {head}"), order[::-1][: min(ENDS, len(order) - n_lowest)]),
        (_("Smallest values of {head}"), order[:n_lowest]),
    ):
        if not len(indices):
            continue
        st.markdown(f"**{title.format(head=head_name(layer, head))}**")
        for index in indices:
            st.page_link(
                EXPLORE,
                label=f"{values[index]:.4f} · {plain(shortened(texts[index], 90))}",
                query_params=link(
                    {
                        "text": write_text(texts[index]),
                        "left": st.session_state["left"],
                        "right": st.session_state["right"],
                        "layer": str(layer),
                        "head": str(head),
                    }
                ),
            )


def _downloads(view: SideView, again: Callable[[], Survey], *, changed: bool) -> None:
    name = stem("survey", view.name)
    model = loaded_models.loaded_model(view.request.model)
    facts = origin_of(model, link=permalink())
    facts |= {"off": st.session_state["survey_of"]} if changed else {}
    with_origin = st.checkbox(_("Begin the CSV with a comment on its origin"), key="survey_origin")
    with st.container(horizontal=True):
        csv = partial(_csv, commented=with_origin)
        for ending, convert in (("csv", csv), ("parquet", _parquet)):
            st.download_button(
                _("Download as {format}").format(format={"csv": "CSV"}.get(ending, "Parquet")),
                data=partial(convert, again, facts),
                file_name=f"headlight_{name}.{ending}",
                key=f"survey_{ending}",
                on_click="ignore",
            )


def _csv(
    again: Callable[[], Survey], facts: Mapping[str, object], *, commented: bool = False
) -> bytes:
    comment = f"# {json.dumps(facts)}\n" if commented else ""
    return (comment + cells(again().frame()).to_csv(index=False)).encode()


def _parquet(again: Callable[[], Survey], facts: Mapping[str, object]) -> bytes:
    file = io.BytesIO()
    write_parquet([again().frame()], file, facts)
    return file.getvalue()
