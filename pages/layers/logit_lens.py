"""The part "Logit lens": the prediction after every layer."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError, LoadedModel, load_model
from model import logit_lens as read_lens
from model.analysis.logit_lens import language_head
from pages.layers.kinds import draw_formula
from pages.layers.lens_place import Lens, draw_boxes, draw_window, lens_of, take_cell
from pages.layers.url import Layers
from viz import shortened
from viz.figures.logit_lens import depth_names, lens_heatmap, lens_width
from viz.style.labels import percent
from web.cache import loaded_models
from web.language import _, in_words, plain, sentences
from web.subject import Subject
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.glossary import underline_terms
from web.widgets.tables import share_table
from web.widgets.view_code import ViewCode, loading

LISTED = 6
"""Number of candidates in the table."""


def logit_lens(row: DeltaGenerator, left: Subject, right: Subject) -> None:
    """Draw the lens of one side and the candidates of a cell."""
    sides: dict[str, Subject] = {side.side: side for side in (left, right)}
    lacks = {of: _lack(side) for of, side in sides.items()}
    able = [of for of in sides if not lacks[of]]
    if len(able) == 2:
        with row:
            side = sides[Layers.whose.draw(options={of: sides[of].name for of in sides})]
    elif able:
        side = sides[able[0]]
    else:
        side = replace(left, model="scratch")
    _look(side, dict.fromkeys(filter(None, lacks.values())))


def _lack(side: Subject) -> str:
    """Say why the layers of a model predict no token; "" if they do."""
    try:
        language_head(loaded_models.loaded_model(side.model))
    except HeadlightError as error:
        return plain(in_words(error))
    return ""


def _look(side: Subject, lacks: Iterable[str]) -> None:
    model = loaded_models.loaded_model(side.model)
    try:
        lens = lens_of(side)
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    with present.headline():
        leading, surest = _leading(lens)
        said = sentences(leading, _reading(model), _copied(lens) if lens.hidden else "")
        st.markdown(underline_terms(said))
    picture, beside = st.columns([5, 2])
    with picture:
        _picture(lens)
        draw_window(lens)
        st.markdown(underline_terms(_limits(lens, surest)))
    with beside:
        draw_boxes(lens)
        _candidates(lens)
        for lack in lacks:
            st.caption(lack)
    draw_formula(r"\mathrm{softmax}(\mathrm{output}(x^{(l)}))", _meaning())


def _copied(lens: Lens) -> str:
    """Say that the other tokens are seen, and how many of them the last layer predicts."""
    ids = lens.side.capture().token_ids
    same = [
        ids[at] == int(best)
        for at, best in zip(lens.found.positions, lens.found.ids[-1, :, 0], strict=True)
    ]
    copied = sum(same) - same[lens.column]
    text = _(
        "Look at the framed column: only its word is hidden. Of the {others} others, which the "
        "model sees, it copies {copied} after the last layer."
    )
    return text.format(others=lens.count - 1, copied=copied)


def _leading(lens: Lens) -> tuple[str, str]:
    """Return sentences on the prediction and the layers that it leads in, and on the surest layer.

    The last one is "" if the last layer is about as sure.
    """
    leaders = lens.found.ids[:, lens.column, 0]
    since = int(max(np.flatnonzero(leaders != leaders[-1]), default=-1)) + 1
    text = (
        _("With “{place}” hidden, {model} predicts “{token}” ({first}), then “{other}” ({second}).")
        if lens.hidden
        else _("At “{place}”, {model} predicts “{token}” ({first}), then “{other}” ({second}).")
    )
    led = (
        _("“{token}” leads from {depth} on.")
        if since < len(leaders) - 1
        else _("“{token}” leads after the last layer, but not after the one before.")
    )
    first, second = lens.found.probabilities[-1, lens.column, :2]
    mine = np.where(  # the last prediction at each depth, 0 where it is not among the candidates
        lens.found.ids[:, lens.column] == leaders[-1], lens.found.probabilities[:, lens.column], 0
    ).sum(axis=1)  # (L + 1, N) -> (L + 1,)
    surest = int(mine.argmax())
    sure = _("“{token}” has its largest probability after {surest}: {most}.")
    leading = f"**{sentences(text, led)}**".format(
        place=plain(lens.label),
        model=plain(lens.side.name),
        token=plain(lens.token(leaders[-1])),
        other=plain(lens.token(lens.found.ids[-1, lens.column, 1])),
        first=percent(float(first)),
        second=percent(float(second)),
        depth=depth_names(len(leaders), _)[since],
    )
    sure = sure.format(
        token=plain(lens.token(leaders[-1])),
        surest=depth_names(len(leaders), _)[surest],
        most=percent(float(mine[surest])),
    )
    return leading, sure if mine[surest] > 1.2 * first else ""


def _reading(model: LoadedModel) -> str:
    """Return the meaning of a row."""
    if model.stack == "decoder":
        return _(
            "Each row: which token would follow each token if the model stopped after that layer "
            "(logit lens). Stronger colour: surer. ␣ is a space, ⏎ a line break."
        )
    return _(
        "Each row: what the model would predict if it stopped after that layer (logit lens); "
        "embeddings: before the first one. Stronger colour: surer."
    )


def _limits(lens: Lens, surest: str) -> str:
    """Return what the picture does not say, after the sentence on the surest layer."""
    seen = _(
        "After the last layer, special tokens are not copied: training never asked the model to "
        "predict them."
    )
    early = _(
        "Trust early rows less: the output layer, which turns vectors into predictions, learned "
        "to read the last layer alone."
    )
    return sentences(surest, early, seen if lens.hidden else "")


def _meaning() -> str:
    """Return what the formula does."""
    return _(
        "x⁽ˡ⁾ is the vector after layer l. It goes straight to the output layer, past the layers "
        "between (nostalgebraist 2020). So the picture shows what can be read from a vector, not "
        "that the model decides there."
    )


def _picture(lens: Lens) -> None:
    side, found = lens.side, lens.found
    candidates = [[[lens.token(i) for i in cell] for cell in row] for row in found.ids]
    what = _("prediction after each layer")
    title = f"{shortened(side.name, 28)} · {what}"
    labels = [lens.labels[position] for position in found.positions]
    if lens.hidden:
        labels[lens.column] = _("{word} (hidden)").format(word=lens.label)
    figure = lens_heatmap(
        candidates,
        found.probabilities,
        labels,
        title=title,
        side=side.hue,
        chosen=(lens.depth, lens.column),
        hidden=lens.column if lens.hidden else None,
        text_colour=THEME_TEXT,
        translate=_,
    )
    lines = [
        f"model = {loading(side.model)}",
        lens.code,
        "tokens = [[model.tokenizer.id_to_token(int(ids[0])) for ids in row] for row in lens.ids]",
        "lens.probabilities[..., 0]",
    ]
    file = stem("logit-lens", side.model, side.text.lower())
    chart(
        figure,
        "lens",
        file,
        title,
        partial(take_cell, lens.first, lens.count, lens.at),
        width=lens_width(lens.count),
        code=ViewCode("\n".join(lines), read_lens, (load_model,), "Belrose et al. 2023, 2"),
        sides=[side],
    )


def _candidates(lens: Lens) -> None:
    cell = lens.depth, lens.column
    columns = {
        _("token"): [lens.token(i) for i in lens.found.ids[cell][:LISTED]],
        _("probability"): lens.found.probabilities[cell][:LISTED],
    }
    share_table(columns, _("Tokens by probability"))
