"""Code of the views of the Positions page."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import streamlit as st
import torch

from model.analysis.order import reorder
from model.transformer.positions import (
    alibi_bias,
    alibi_slopes,
    relative_buckets,
    rotary,
    rotation,
    sinusoids_at,
)
from viz import attention_heatmap
from viz.figures.offsets import matrix_heatmap, score_curve
from viz.figures.positions import encoding_heatmap
from web.widgets.notebook import MODEL, loading
from web.widgets.recorder import Code, Notebook, code

State = Mapping[Any, Any]

_TOKEN_AXES = {"x_title": "key position", "y_title": "query position"}


def lines(kind: str, state: State | None = None) -> str:
    """Code of the view of a kind of position.

    Args:
        kind: The kind.
        state: The settings of the view; by default the session state.
    """
    notebook = Notebook()
    figure = _RECORDINGS[kind](notebook, st.session_state if state is None else state)
    return notebook.show(figure)


def _sinusoidal(notebook: Notebook, state: State) -> Code:
    rows = notebook.let("rows", code(np).arange(state["length"]))
    columns = notebook.let("columns", code(np).arange(state["d_model"]))
    places = code(torch).from_numpy(rows)
    table = code(sinusoids_at)(places, state["d_model"], state["base"]).numpy()
    table = notebook.let("table", table)
    return code(encoding_heatmap)(table, rows=rows, columns=columns, top=1.0)


def _learned(notebook: Notebook, state: State) -> Code:
    table = notebook.let("table", loading(state["left"]).position_table.numpy())
    top = notebook.let("top", code(float)(code(np).quantile(code(np).abs(table), 0.995)))
    return code(encoding_heatmap)(table, **_axes(notebook, table), top=top)


def _shift(notebook: Notebook, state: State) -> Code:
    places = state["offset"], state["d_model"], state["base"]
    shift = notebook.let("shift", code(rotation)(*places).numpy())
    titles = {"x_title": "dimension of PE(pos)", "y_title": "of PE(pos + k)"}
    axes = _axes(notebook, shift)
    return code(matrix_heatmap)(shift, **axes, top=1.0, printed=False, **titles)


def _relative(notebook: Notebook, state: State) -> Code:
    buckets = notebook.let("buckets", code(relative_buckets)(state["n_tokens"]).numpy())
    options = {**_axes(notebook, buckets), "top": 31, "sign": "positive", "printed": False}
    return code(matrix_heatmap)(buckets, **options, **_TOKEN_AXES)


def _rotary(notebook: Notebook, state: State) -> Code:
    manual_seed = code(torch).Generator().manual_seed
    generator = notebook.let("generator", manual_seed(state["rotary_seed"]))
    double = code(torch).float64
    drawn = code(torch).randn(2, 1, state["d_head"], generator=generator, dtype=double)
    notebook.let("q, k", drawn)
    offset = state["key_at"] - state["query_at"]
    reach = max(64, abs(offset) + 8)
    offsets = notebook.let("offsets", code(torch).arange(-reach, reach + 1))
    turned = code(rotary)(Code("k").expand(code(len)(offsets), -1), offsets)
    scores = notebook.let("scores", (turned @ Code("q")[0]).numpy())
    titles = {"x_title": "offset (tokens)", "y_title": "score"}
    return code(score_curve)(offsets.numpy(), scores, offset, **titles)


def _alibi(notebook: Notebook, state: State) -> Code:
    slope = notebook.let("slope", code(alibi_slopes)(state["n_heads"])[state["alibi_head"]].item())
    bias = notebook.let("bias", code(alibi_bias)(state["n_tokens"], slope).numpy())
    top = notebook.let("top", code(max)(code(float)(code(np).abs(bias).max()), 1e-6))
    options = {**_axes(notebook, bias), "top": top, "sign": "negative", "printed": False}
    return code(matrix_heatmap)(bias, **options, **_TOKEN_AXES)


def _shuffle(notebook: Notebook, state: State) -> Code:
    notebook.let("model", loading(state["blind"]))
    order = state["order"] or None
    shuffled = code(reorder)(MODEL, state["text"], order, state["strength"])
    shuffled = notebook.let("shuffled", shuffled)
    # Rows and columns return to the order of the sentence.
    back = notebook.let("back", code(np).argsort(shuffled.order))
    weights = shuffled.capture.weights[state["layer"], state["head"]]
    weights = notebook.let("weights", weights[code(np).ix_(back, back)])
    return code(attention_heatmap)(weights, MODEL.attend(state["text"]).tokens)


def _axes(notebook: Notebook, table: Code) -> dict[str, Code]:
    notebook.let("rows, columns", code(map)(code(np).arange, table.shape))
    return {"rows": Code("rows"), "columns": Code("columns")}


_RECORDINGS: dict[str, Callable[[Notebook, State], Code]] = {
    "sinusoidal": _sinusoidal,
    "learned": _learned,
    "shift": _shift,
    "relative": _relative,
    "rotary": _rotary,
    "alibi": _alibi,
    "shuffle": _shuffle,
}
