"""Learned position tables beside the sinusoids of our encoder."""

import numpy as np
import streamlit as st
import torch

from model import LoadedModel, load_model
from model.transformer.positions import cosines, products_by_offset, sinusoidal_encoding
from pages.positions.shared import caption_drawn_part, section
from pages.positions.url import Positions
from viz import Side
from viz.figures.offsets import offset_curve
from viz.figures.positions import (
    MAX_COLUMNS,
    MAX_ROWS,
    encoding_heatmap,
    similarity_heatmap,
    strided,
)
from web.cache import loaded_models
from web.language import _, plain
from web.model_name import model_name
from web.subject import SIDES
from web.widgets.charts import chart
from web.widgets.export import stem
from web.widgets.model_picker import draw_and_load_model
from web.widgets.view_code import ViewCode, loading


@section
def learned() -> None:
    """Draw the position vectors of the chosen models side by side."""
    for side, column in zip(SIDES, st.columns(2), strict=True):
        with column:
            model = draw_and_load_model(Positions.fields[side])
            if model.position_table is None:
                st.info(_lack(model))
            else:
                _explain_origin(model.name, model.position_table)
                _table(model.name, model.position_table, side)
                _alike(model.name, side)
                _offsets(model.name, side)


def _lack(model: LoadedModel) -> str:
    """Say why there is no table: a model whose parts are unknown can have one."""
    if getattr(getattr(model.module, "config", None), "rope_parameters", None):
        return _("This model adds no position vectors. It may turn q and k: see Rotary.")
    return _("Headlight does not know the position vectors of {model}.").format(
        model=plain(model_name(model.name))
    )


def _explain_origin(name: str, table: torch.Tensor) -> None:
    computed = table.shape[1] % 2 == 0 and torch.allclose(table, sinusoidal_encoding(*table.shape))
    says = (
        _("{model} **computes** this table: sinusoids.")
        if computed
        else _("{model} **learned** this table in training.")
    )
    st.caption(says.format(model=plain(model_name(name))))


def _table(name: str, table: torch.Tensor, side: Side) -> None:
    length, d_model = table.shape
    rows, columns = strided(length, MAX_ROWS), strided(d_model, MAX_COLUMNS)
    values = table.numpy()
    top = float(np.quantile(np.abs(values), 0.995))
    chart(
        encoding_heatmap(
            values[np.ix_(rows, columns)],
            rows=rows,
            columns=columns,
            top=top,
            title=_("{model}: what is added for each position").format(model=model_name(name)),
            subtitle=_("{length} × {d_model}; the darkest colour is ±{top:.3g} or more").format(
                length=length, d_model=d_model, top=top
            ),
            translate=_,
        ),
        f"table_{side}",
        stem("positions", model_name(name)),
        _("Heat map of the position table of {model}, {length} by {d_model}.").format(
            model=model_name(name), length=length, d_model=d_model
        ),
        code=ViewCode(
            f"model = {loading(name)}\nmodel.position_table",
            load_model,
            paper="Devlin et al. 2018, 3",
        ),
    )
    caption_drawn_part(length, d_model, rows, columns)


def _alike(name: str, side: Side) -> None:
    alike = loaded_models.position_cosines(name)  # (L, L)
    rows = strided(len(alike), MAX_ROWS)
    chart(
        similarity_heatmap(
            alike[np.ix_(rows, rows)],
            rows,
            title=_("Cosine similarity of all positions"),
            subtitle=model_name(name),
            translate=_,
        ),
        f"similarity_{side}",
        stem("similarity", model_name(name)),
        _("Cosine similarity of all positions with all positions of {model}.").format(
            model=model_name(name)
        ),
        code=ViewCode(
            f"model = {loading(name)}\ncosines(model.position_table)",
            cosines,
            (load_model,),
            "Devlin et al. 2018, 3",
        ),
    )


def _offsets(name: str, side: Side) -> None:
    mean, low, high = loaded_models.position_products(name)
    chart(
        offset_curve(
            np.arange(len(mean)),
            mean,
            low,
            high,
            name=model_name(name),
            y_title=_("dot product"),
            side=side,
            title=_("Dot product of two positions by offset"),
            translate=_,
        ),
        f"offsets_{side}",
        stem("dot-products", model_name(name)),
        _("Mean, smallest and largest dot product of {model} at each offset.").format(
            model=model_name(name)
        ),
        code=ViewCode(
            f"model = {loading(name)}\nproducts_by_offset(model.position_table)",
            products_by_offset,
            (load_model,),
            "Vaswani et al. 2017, 3.5",
        ),
    )
    spread, scale = float((high - low).max()), float(np.abs(mean).max())
    if spread < 1e-3 * scale:
        says = _(
            "The dot product depends only on the offset: at one offset it varies by at most "
            "{x:.1g}."
        )
    else:
        says = _("At one offset, the dot product varies by up to {x:.3g}.")
    st.caption(says.format(x=spread))
