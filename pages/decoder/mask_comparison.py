"""The mask as an editable grid, and one head without it and with it."""

import numpy as np
import streamlit as st
import torch

from model import causal_mask, load_model, padding_mask
from model.analysis.masking import MaskedRun, read_tokens, run_masked
from model.transformer.masks import allow_self_if_empty, queries_without_keys
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.mask_spec import (
    MAX_PADDING,
    MAX_TOKENS,
    PADDED_MASKS,
    MaskSpec,
    pack_mask,
    unpack_mask,
)
from pages.decoder.url import Masks
from viz import attention_heatmap, shortened
from viz.figures.heatmap import BOTTOM, HEADING, matrix_height
from viz.style.figure import MAX_ROOM, label_room, turned_room
from viz.style.theme import SIDE_RGB
from web import components
from web.components import edits
from web.language import _, ngettext, plain
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_picker import head_name
from web.widgets.view_code import ViewCode, loading

TITLE_HEIGHT = 50
"""Pixels of the title and the note above the grid: mask.css."""

MAX_NAMED = 6
"""Most tokens that the warning about empty rows names."""


def before_and_after(experiment: MaskExperiment) -> None:
    """Draw the mask, the head without it and with it, and the sums of the rows."""
    grid, before, after = st.columns(3)
    with grid:
        _grid(experiment)
    with after:  # drawn first, because it is what changed
        code = _code(experiment)
        _head(experiment, "after", experiment.spec.name, experiment.masked, code)
    with before:
        _head(experiment, "before", _("no mask"), experiment.full)
    _warn_of_empty_rows(experiment)
    with st.container(key="mask_counts"):
        _row_sums(experiment)


def _grid(experiment: MaskExperiment) -> None:
    labels = experiment.labels
    # The rows are level with those of the heatmaps beside the grid.
    above = turned_room(min(label_room(labels), MAX_ROOM)) + HEADING
    components.mask(
        {
            "labels": labels,
            "rows": ["".join("01"[cell] for cell in row) for row in experiment.requested.tolist()],
            "height": matrix_height(len(labels)) - above - BOTTOM,
            "above": above - TITLE_HEIGHT,
            "rgb": SIDE_RGB["left"],
            "strings": {
                "title": _("Mask: {name}").format(name=experiment.spec.name),
                "label": _(
                    "Mask with a row for each query and a column for each key. The arrow keys"
                    " move; the space bar allows or hides a cell."
                ),
                "allowed": _("allowed"),
                "hidden": _("hidden"),
                "hint": _("Press or drag over cells to draw a mask"),
            },
        },
        key="mask_grid",
        on_edited=_save_drawn_mask,
    )


def _save_drawn_mask() -> None:
    """Make the edited grid the mask; a callback."""
    rows = [[cell == "1" for cell in row] for row in edits.received("mask_grid").get("rows", [])]
    count = len(rows)
    if not 0 < count <= MAX_TOKENS + MAX_PADDING or any(len(row) != count for row in rows):
        return
    if Masks.mask.value not in PADDED_MASKS:
        Masks.pads.value = 0
    Masks.cells.value, Masks.mask.value = pack_mask(torch.tensor(rows)), "drawn"
    Masks.inverted.value = False


def _head(
    experiment: MaskExperiment, key: str, mask: str, run: MaskedRun, code: ViewCode | None = None
) -> None:
    model, text, labels = experiment.model, experiment.text, experiment.labels
    head = head_name(experiment.layer, experiment.head)
    weights = run.capture.weights[experiment.layer, experiment.head]  # (T, T)
    query, attended = np.unravel_index(weights.argmax(), weights.shape)
    alt = _("{what}. The largest weight is {query} to {key}, {weight:.4f}.").format(
        what=f"{model} · {head}, {mask}",
        query=labels[query],
        key=labels[attended],
        weight=float(weights[query, attended]),
    )
    figure = attention_heatmap(
        weights,
        labels,
        title=f"{head}, {mask}",
        subtitle=shortened(f"{model}: {text}", 40),
        side="left",
        allowed=run.capture.allowed[experiment.layer],
        text_colour=THEME_TEXT,
        translate=_,
    )
    chart(figure, key, stem(model, head, mask, text.lower()), alt, code=code)


def _code(experiment: MaskExperiment) -> ViewCode:
    """Code of the head under the mask."""
    arguments = f"{experiment.text!r}, {MAX_TOKENS}, {experiment.n_padding}"
    lines = [
        f"model = {loading(experiment.model)}",
        f"tokens = read_tokens(model, {arguments})",
        "n = len(tokens.ids)",
        f"mask = {_mask_code(experiment.spec, experiment.n_padding)}",
        f"masked = run_masked(model, tokens, {experiment.text!r}, allow_self_if_empty(mask))",
        f"weights = masked.capture.weights[{experiment.layer}, {experiment.head}]",
        "attention_heatmap(weights, tokens.pieces)",
    ]
    uses = (load_model, read_tokens, allow_self_if_empty, causal_mask, padding_mask)
    paper = "Vaswani et al. 2017, 3.2.3"
    return ViewCode("\n".join(lines), run_masked, (*uses, attention_heatmap), paper)


def _mask_code(spec: MaskSpec, n_padding: int) -> str:
    """Return an expression of ``n``, the number of tokens, that builds the mask."""
    padding = f"padding_mask(torch.tensor([n - {n_padding}]), n)[0, 0].expand(n, n)"
    basic = {"padding": padding, "causal": "causal_mask(n)", "both": f"causal_mask(n) & {padding}"}
    if spec.kind == "drawn" and spec.drawn:
        rows = unpack_mask(spec.drawn).tolist()
        bits = " ".join("".join("01"[cell] for cell in row) for row in rows)
        code = f'torch.tensor([[cell == "1" for cell in row] for row in "{bits}".split()])'
    else:
        code = basic.get(spec.kind, "torch.ones(n, n, dtype=torch.bool)")
    return f"~({code})" if spec.inverted else code


def _warn_of_empty_rows(experiment: MaskExperiment) -> None:
    """Name the queries without any key, which attend to themselves instead."""
    empty = queries_without_keys(experiment.requested)
    if not empty:
        return
    names = [plain(experiment.labels[row]) for row in empty]
    more = len(names) - MAX_NAMED
    shown = ", ".join(names[:MAX_NAMED])
    shown += _(" and {count} more").format(count=more) if more > 0 else ""
    st.warning(
        ngettext(
            "**{names}** may attend to no token, so its softmax would be 0/0. Here "
            "the token may attend to itself, so that the encoder can run.",
            "**{names}** may attend to no token, so their softmax would be 0/0. Here "
            "these tokens may attend to themselves, so that the encoder can run.",
            len(names),
        ).format(names=shown)
    )


def _row_sums(experiment: MaskExperiment) -> None:
    """Show how many cells are allowed, the weight of the hidden ones, and the sums of the rows."""
    requested, place = experiment.requested, (experiment.layer, experiment.head)
    per_row = requested.sum(dim=-1)  # (T, T) -> (T,)
    before = experiment.full.capture.weights[place]  # (T, T)
    sums = experiment.masked.capture.weights[place].sum(axis=-1)  # (T, T) -> (T,)
    hidden_share = float(before[~experiment.applied.numpy()].sum() / len(before))
    st.markdown(
        _(
            "**{count} of {all} cells are allowed** ({share:.1%}), {least} to {most} "
            "per row. Without the mask, the hidden cells have {taken:.1%} of this "
            "head's weight. With it they have exactly 0, and each row sums to {total:.4f}."
        ).format(
            count=int(requested.sum()),
            all=requested.numel(),
            share=float(requested.double().mean()),
            least=int(per_row.min()),
            most=int(per_row.max()),
            taken=hidden_share,
            total=float(sums[np.abs(sums - 1).argmax()]),
        )
    )
