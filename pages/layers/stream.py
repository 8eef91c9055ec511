"""The part "Residual stream": vector norms by layer and token, and the additions to them."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError, load_model, unit_means, units
from model.capture.residual_stream import ResidualStream
from pages.layers.quantities import QUANTITIES, Quantity
from pages.layers.url import Layers
from viz import shortened
from viz.figures.stream import stream_heatmap
from web.cache import captures
from web.language import _, in_words, plain, sentences, translated
from web.subject import Subject
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.glossary import underline_terms
from web.widgets.view_code import ViewCode, attended, texts, units_of

WIDE = 100
"""Ratio of the longest to the shortest vector above which colours are logarithmic; otherwise the
first token of a decoder would leave all others white."""


def stream(row: DeltaGenerator, left: Subject, right: Subject) -> None:
    """Draw one quantity of every token and layer of both models, and its means."""
    names = {n: translated(each.name) for n, each in QUANTITIES.items()}
    with row:
        chosen = QUANTITIES[Layers.stream.draw(options=names)]
    sentence = present.headline()
    columns = dict(zip((left, right), st.columns(2), strict=True))
    measured: dict[Subject, np.ndarray] = {}  # (L, U)
    norms: dict[str, list[str]] = {}  # names of the models by the place of their norms
    for side, column in columns.items():
        try:
            found = captures.residual_stream(side.model, side.text, side.text_pair)
        except HeadlightError as error:
            column.info(plain(in_words(error)))
            continue
        if not side.units:
            nothing = _(
                "There is nothing to show: all tokens are special tokens, which are hidden."
            )
            column.info(nothing)
            continue
        measured[side] = unit_means(getattr(found, chosen.attribute), side.units)
        norms.setdefault(found.norm_placement, []).append(plain(side.name))
    if not measured:
        return
    top = max(float(each.max()) for each in measured.values())
    low = min(float(each.min()) for each in measured.values())
    logarithmic = low * WIDE < top
    said = dict.fromkeys(_said(chosen, *each) for each in measured.items())
    why = {
        "post": _(
            "In {models}, each layer adds to this vector, and a LayerNorm rescales every sum "
            "(post-norm): the length does not keep growing."
        ),
        "pre": _(
            "In {models}, each layer adds to this vector, and nothing rescales the sum (pre-norm): "
            "the length usually grows."
        ),
    }
    is_length = chosen.attribute == "layer_input"
    meant = [
        text.format(models=_and(list(dict.fromkeys(norms[at]))))
        for at, text in why.items()
        if at in norms and is_length
    ]
    cell = translated(chosen.explanation)
    sentence.markdown(underline_terms(sentences(f"**{sentences(*said)}**", cell, *meant)))
    for side, values in measured.items():
        with columns[side]:
            _picture(side, values, max(low, top / 1e6) if logarithmic else None, top)
    sink = _(
        "A token that is far longer than the others often gets much of all tokens' attention (an "
        "attention sink)."
    )
    if logarithmic:
        colours = _("The colours are logarithmic; the numbers are not.")
        st.markdown(underline_terms(sentences(sink if is_length else "", colours)))


def _and(names: list[str]) -> str:
    return (
        names[0] if len(names) == 1 else _("{one} and {other}").format(one=names[0], other=names[1])
    )


def _said(chosen: Quantity, side: Subject, values: np.ndarray) -> str:
    """Return a sentence on the medians of the layers and the darkest cell, of (L, U)."""
    layer, unit = np.unravel_index(values.argmax(), values.shape)
    if np.allclose(values, values.max(), rtol=1e-3):  # LayerNorms that were not trained
        equal = _("In {model}, each of these numbers is {value:.2f}.")
        return equal.format(model=plain(side.name), value=float(values.max()))
    medians = np.median(values, axis=1)
    return translated(chosen.said).format(
        model=plain(side.name),
        token=plain(side.labels[unit]),
        layer=layer,
        value=float(values.max()),
        first=float(medians[0]),
        last=float(medians[-1]),
        highest=float(medians.max()),
        peak=int(medians.argmax()),
        end=len(values) - 1,
    )


def _picture(side: Subject, values: np.ndarray, low: float | None, top: float) -> None:
    chosen = QUANTITIES[Layers.stream.value]
    title = f"{shortened(side.name, 28)} · {translated(chosen.name)}"
    figure = stream_heatmap(
        values,
        [each.label for each in side.units],
        title=title,
        quantity=chosen.sign,
        side=side.hue,
        low=low,
        top=top,
        text_colour=THEME_TEXT,
        translate=_,
    )
    lines = [
        attended(side),
        f"stream = model.residual_stream({texts(side)})",
        f"unit_means(stream.{chosen.attribute}, {units_of(side)})",
    ]
    uses = (load_model, unit_means, units)
    code = ViewCode("\n".join(lines), ResidualStream, uses, "Vaswani et al. 2017, 3.1")
    file = stem("stream", Layers.stream.value, side.model, side.text.lower())
    chart(figure, f"stream_{side.side}", file, title, code=code, sides=[side])
