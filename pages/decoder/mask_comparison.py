"""The mask as an editable grid, one head without it and with it, and what leaks."""

import numpy as np
import streamlit as st
import torch

from model import causal_mask, load_model, padding_mask
from model.analysis.masking import (
    MaskedRun,
    max_change_before,
    read_tokens,
    run_masked,
    where_weight_goes,
)
from model.transformer.masks import allow_self_if_empty, queries_without_keys, sliding_window
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
from viz import attention_heatmap, distinct
from viz.figures.heatmap import BOTTOM, TITLE, matrix_height
from viz.style.figure import MAX_ROOM, label_room, turned_room
from viz.style.theme import SIDE_RGB
from web import components
from web.capture_part import hue_of
from web.components import edits
from web.language import _, listed, plain, sentences
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name
from web.widgets.view_code import ViewCode, loading

TITLE_HEIGHT = 50
"""Pixels of the title and the note above the grid: mask.css."""

MAX_NAMED = 6
"""Most tokens that the warning about empty rows names."""


def before_and_after(experiment: MaskExperiment) -> None:
    """Draw what the mask hides, the mask, the head without it and with it, and what leaks."""
    _hidden(experiment)
    grid, both = st.columns((1, 2))
    with grid:
        _grid(experiment)
    with both, present.stage("masked"):
        before, after = st.columns(2)
    with after:  # drawn first, because it is what changed
        name, code = experiment.spec.name, _code(experiment)
        draw_head(experiment.masked, "after", experiment.place, name, code=code)
    with before:
        draw_head(experiment.full, "before", experiment.place, _("No mask"))
    if experiment.place[0] and not experiment.requested.all():
        st.caption(
            _(
                "The layers before {layer} have the mask too. So {layer} reads different vectors, "
                "and its scores change."
            ).format(layer=f"L{experiment.place[0]}")
        )
    if Masks.mask.value == "causal":
        trained = _("{model} was trained without a causal mask: this is a test, not a decoder.")
        st.caption(trained.format(model=plain(experiment.model)))
    _warn_of_empty_rows(experiment)
    _warn_of_leaks(experiment)
    _replaced_word(experiment)


def _hidden(experiment: MaskExperiment) -> None:
    """Say how many cells are hidden, and how much weight they have without the mask."""
    hidden = ~experiment.requested
    if not hidden.any():
        text = _("**The mask hides no cell, so no weight of {head} changes.**")
        st.markdown(underline_terms(text.format(head=head_name(*experiment.place))))
        return
    before = experiment.full.capture.weights[experiment.place]  # (T, T)
    text = _(
        "**The mask hides {count} of {all} cells, which had {taken:.1%} of {head}'s attention.**"
    ).format(
        count=int(hidden.sum()),
        all=hidden.numel(),
        taken=float(before[hidden.numpy()].sum() / len(before)),
        head=head_name(*experiment.place),
    )
    causal = _(
        "A causal mask hides later tokens, so that a model cannot read the word that it must "
        "predict."
    )
    said = sentences(text, causal if Masks.mask.value == "causal" else "")
    present.headline("headline_masks").markdown(underline_terms(said))


def _grid(experiment: MaskExperiment) -> None:
    labels = experiment.labels
    # The rows are level with those of the heatmaps beside the grid.
    above = turned_room(min(label_room(labels), MAX_ROOM)) + TITLE
    components.mask(
        {
            "labels": labels,
            "rows": ["".join("01"[cell] for cell in row) for row in experiment.requested.tolist()],
            "height": matrix_height(len(labels)) - above - BOTTOM,
            "above": above - TITLE_HEIGHT,
            "rgb": SIDE_RGB[hue_of(experiment.model)],
            "strings": {
                "title": experiment.spec.name,
                "label": _(
                    "Mask with a row for each query and a column for each key. The arrow keys"
                    " move; the space bar allows or hides a cell."
                ),
                "allowed": _("allowed"),
                "hidden": _("hidden"),
                "hint": _("Hatched: hidden. Press or drag to change."),
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


def draw_head(
    run: MaskedRun,
    key: str,
    place: tuple[int, int],
    name: str,
    weights: np.ndarray | None = None,
    code: ViewCode | None = None,
) -> None:
    """Draw a head of a run, with the name of its mask; ``weights`` (T, T) in place of its own."""
    capture, own = run.capture, weights is None
    title = f"{head_name(*place)} · {name}"
    figure = attention_heatmap(
        capture.weights[place] if weights is None else weights,
        distinct(capture.tokens),
        title=title,
        side=hue_of(capture.model),
        allowed=capture.allowed[place[0]] if own else None,
        text_colour=THEME_TEXT,
        translate=_,
    )
    figure.layout.yaxis.scaleanchor = None  # the rows are level with those of the mask
    chart(figure, key, stem(capture.model, title, capture.text.lower()), title, code=code)


def _code(experiment: MaskExperiment) -> ViewCode:
    """Code of the head under the mask."""
    arguments = f"{experiment.text!r}, {MAX_TOKENS}, {experiment.n_padding}"
    layer, head = experiment.place
    lines = [
        f"model = {loading(experiment.model)}",
        f"tokens = read_tokens(model, {arguments})",
        "n = len(tokens.ids)",
        f"mask = {_mask_code(experiment.spec, experiment.n_padding)}",
        f"masked = run_masked(model, tokens, {experiment.text!r}, allow_self_if_empty(mask))",
        f"weights = masked.capture.weights[{layer}, {head}]",
        "attention_heatmap(weights, tokens.pieces)",
    ]
    masks = (allow_self_if_empty, causal_mask, padding_mask, sliding_window)
    uses = (load_model, read_tokens, *masks, attention_heatmap)
    return ViewCode("\n".join(lines), run_masked, uses, "Vaswani et al. 2017, 3.2.3")


def _mask_code(spec: MaskSpec, n_padding: int) -> str:
    """Return an expression of ``n``, the number of tokens, that builds the mask."""
    padding = f"padding_mask(torch.tensor([n - {n_padding}]), n)[0, 0].expand(n, n)"
    basic = {
        "padding": padding,
        "causal": "causal_mask(n)",
        "both": f"causal_mask(n) & {padding}",
        "window": f"sliding_window(n, {spec.reach})",
    }
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
    shown = listed(plain(experiment.labels[row]) for row in empty[:MAX_NAMED])
    shown += " …" if len(empty) > MAX_NAMED else ""
    st.warning(
        _(
            "No key is allowed for **{tokens}**, and the softmax would be 0/0. Such a query "
            "attends to itself here."
        ).format(tokens=shown)
    )


def _warn_of_leaks(experiment: MaskExperiment) -> None:
    """Warn if the mask leaks what its upright form hides."""
    spec, n_padding = experiment.spec, experiment.n_padding
    allowed = spec.upright().build(len(experiment.labels), n_padding)
    hides_later = not bool((allowed & ~causal_mask(len(allowed))).any())
    hides_padding = n_padding > 0 and not bool(allowed[:, -n_padding:].any())
    share = where_weight_goes(experiment.masked.capture.weights, n_padding)
    leaks = [
        message.format(share=share[place])
        for hides, place, message in (
            (hides_later, "later", _("**{share:.1%}** of all heads' weight is on later words")),
            (hides_padding, "padding", _("**{share:.1%}** is on [PAD]")),
        )
        if hides and share[place] > 0
    ]
    if leaks:
        st.error(_("The mask leaks: {leaks}.").format(leaks=listed(leaks)))


def _replaced_word(experiment: MaskExperiment) -> None:
    """Replace the last word by [MASK], and say how far the outputs before it change."""
    place = _last_word(experiment)
    if not place:
        return  # no token comes before it
    runs = zip((experiment.full, experiment.masked), experiment.replaced(place), strict=True)
    full, masked = (max_change_before(*each, place) for each in runs)
    test = _(
        "A test: another token replaces **{word}**. Without a mask, the output vectors of earlier "
        "tokens change (by up to **{full:.0%}** of their length): these tokens have read the word."
    )
    now = _("With the mask, they **stay the same**.")
    if masked:
        now = _("With the mask, they still change (by up to **{masked:.0%}**).")
    text = sentences(test, "" if experiment.applied.all() else now)
    changes = text.format(word=plain(experiment.labels[place]), full=full, masked=masked)
    learns = (
        _("A model that learns to predict the next word would read the answer.")
        if masked
        else _("So a model can learn to predict the next word, because it is hidden.")
    )
    st.markdown(sentences(changes, learns))


def _last_word(experiment: MaskExperiment) -> int:
    """Position of the last word before [SEP]; of the last token if none is a word."""
    tokens = experiment.full.capture.tokens[: experiment.full.n_real - 1]
    words = [place for place, token in enumerate(tokens) if token.isalnum()]
    return words[-1] if words else max(len(tokens) - 1, 0)
