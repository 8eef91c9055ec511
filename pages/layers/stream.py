"""The part "Residual stream": vector norms by layer and token, and the additions to them."""

from collections.abc import Mapping

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError, load_model, unit_means, units
from model.capture.residual_stream import ResidualStream
from pages.layers.quantities import QUANTITIES
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
    places: set[str] = set()  # of the models' norms
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
        places.add(found.norm_placement)
    if not measured:
        return
    top = max(float(each.max()) for each in measured.values())
    low = min(float(each.min()) for each in measured.values())
    logarithmic = low * WIDE < top
    is_length = chosen.attribute == "lengths"
    said = _lengths(measured) if is_length else _ratios(measured, chosen.attribute)
    why = {
        "post": _(
            "Each layer adds to this vector; after each addition, a LayerNorm rescales the result "
            "(post-norm). So a length does not say how much a layer adds: for that, choose *Added "
            "by attention* in the menu."
        )
        if is_length
        else _("After each addition, a LayerNorm rescales the result (post-norm)."),
        "pre": _(
            "Each layer adds to this vector, and nothing rescales it (pre-norm): it usually grows."
        ),
    }
    meant = [text for place, text in why.items() if place in places]
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
        colours = _("Equal steps of colour multiply the number: the colours are logarithmic.")
        st.markdown(underline_terms(sentences(sink if is_length else "", colours)))


def _lengths(measured: Mapping[Subject, np.ndarray]) -> list[str]:
    """Return a sentence on the medians of each model's lengths, (L + 1, U) each."""
    one = _(
        "In {model}, the tokens' vectors are shortest {shortest} (median {low:,.1f}) and longest "
        "{longest} ({high:,.1f})."
    )
    more = _("In {model}: shortest {shortest} ({low:,.1f}), longest {longest} ({high:,.1f}).")
    said = []
    for text, (side, values) in zip((one, more), measured.items(), strict=False):
        medians = np.median(values, axis=1)  # (L + 1, U) -> (L + 1,)
        rows = [*(_("entering L{layer}").format(layer=i) for i in range(len(values) - 1))]
        ends = [int(medians.argmin()), int(medians.argmax())]
        shortest, longest = ([*rows, _("at the output")][end] for end in ends)
        numbers = {"low": medians[ends[0]], "high": medians[ends[1]]}
        model = plain(side.name)
        said.append(text.format(model=model, shortest=shortest, longest=longest, **numbers))
    return said


def _ratios(measured: Mapping[Subject, np.ndarray], attribute: str) -> list[str]:
    """Return a sentence on the layer with the largest median of each model's ratios, (L, U)."""
    attention = _(
        "How much does attention change a token? In {model}, most at L{peak}: it adds a vector of "
        "{most:.0%} of the token's own length (median)."
    )
    feed_forward = _(
        "How much does feed-forward change a token? In {model}, most at L{peak}: it adds a vector "
        "of {most:.0%} of the token's own length (median)."
    )
    one = attention if attribute == "attention_share" else feed_forward
    said = []
    for text, (side, values) in zip(
        (one, _("In {model}, at L{peak}: {most:.0%}.")),
        measured.items(),
        strict=False,
    ):
        medians = np.median(values, axis=1)  # (L, U) -> (L,)
        peak, most = medians.argmax(), medians.max()
        said.append(text.format(model=plain(side.name), peak=peak, most=most))
    return said


def _picture(side: Subject, values: np.ndarray, low: float | None, top: float) -> None:
    chosen = QUANTITIES[Layers.stream.value]
    title = f"{shortened(side.name, 28)} · {translated(chosen.name)}"
    figure = stream_heatmap(
        values,
        [each.label for each in side.units],
        title=title,
        quantity=translated(chosen.sign),
        has_output=chosen.attribute == "lengths",
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
