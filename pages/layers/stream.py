"""The part "Residual stream": vector norms by layer and token, and the additions to them."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model import HeadlightError, load_model, unit_means, units
from model.capture.residual_stream import ResidualStream
from pages.layers.quantities import QUANTITIES
from pages.layers.url import Layers
from viz import shortened
from viz.figures.stream import stream_heatmap
from web.cache import captures
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain, translated
from web.subject import Subject
from web.view_state import address
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_cells import heading
from web.widgets.tables import layer_table
from web.widgets.view_code import ViewCode, attended, texts, units_of

WIDE = 100
"""Ratio of the longest to the shortest vector above which colours are logarithmic; otherwise the
first token of a decoder would leave all others white."""


Measured = Mapping[str, np.ndarray]
"""Each quantity of the shown units, (L, U)."""


@queue_fragment("depth")
def stream(left: Subject, right: Subject) -> None:
    """Draw one quantity of every token and layer of both models, and the additions."""
    chosen = _choose_quantity()
    streams = {side.side: _stream(side) for side in (left, right)}
    views = {side.side: side for side in (left, right)}
    measured = {side: _measured(stream, views[side]) for side, stream in streams.items() if stream}
    drawn = {side: of for side, of in measured.items() if views[side].units}
    top = max((float(of[chosen].max()) for of in drawn.values()), default=1.0)
    low = min((float(of[chosen].min()) for of in drawn.values()), default=1.0)
    ends = (max(low, top / 1e6) if low * WIDE < top else None, top)
    if ends[0] is not None:
        st.caption(_("The colours are logarithmic; the numbers are not."))
    for side, column in zip(views, st.columns(2), strict=True):
        with column:
            _side(views[side], streams[side], drawn.get(side), chosen, ends)
    if drawn:
        st.caption(
            _("{quantity}: means over the tokens shown").format(
                quantity=translated(QUANTITIES[chosen].name)
            )
        )
        layer_table({views[side].name: of[chosen].mean(axis=1) for side, of in drawn.items()})
    address.keep(Layers.fields)


def _choose_quantity() -> str:
    """Draw the picker with formula and explanation; return the chosen quantity."""
    names = {n: f"{translated(each.name)}: {each.sign}" for n, each in QUANTITIES.items()}
    box, formula, explanation = st.columns([3, 2, 5], vertical_alignment="center")
    with box:
        chosen = Layers.stream.draw(options=names)
    formula.latex(QUANTITIES[chosen].formula)
    explanation.caption(translated(QUANTITIES[chosen].explanation))
    return chosen


def _stream(side: Subject) -> ResidualStream | None:
    """Return a side's stream, or None after explaining why it is not available."""
    try:
        return captures.residual_stream(side.model, side.text, side.text_pair)
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return None


def _measured(stream: ResidualStream, view: Subject) -> Measured:
    return {
        name: unit_means(getattr(stream, each.attribute), view.units)
        for name, each in QUANTITIES.items()
    }


def _side(
    view: Subject,
    stream: ResidualStream | None,
    measured: Measured | None,
    chosen: str,
    ends: tuple[float | None, float],
) -> None:
    if stream is None:
        return
    if measured is None:
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
        return
    st.caption(_norm(view, stream))
    capture, quantity = view.capture(), QUANTITIES[chosen]
    values = measured[chosen]
    layer, unit = np.unravel_index(values.argmax(), values.shape)
    figure = stream_heatmap(
        values,
        [unit.label for unit in view.units],
        title=heading(capture.model, translated(quantity.name)),
        subtitle=shortened(" | ".join(filter(None, (capture.text, capture.text_pair))), 48),
        quantity=quantity.sign,
        side=view.side,
        low=ends[0],
        top=ends[1],
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = _("{what}; largest: L{layer}, {token}, {value:.4g}.").format(
        what=f"{capture.model} · {quantity.sign}",
        layer=layer,
        token=view.labels[unit],
        value=float(values[layer, unit]),
    )
    key = f"stream_{view.side}"
    lines = [
        attended(view),
        f"stream = model.residual_stream({texts(view)})",
        f"unit_means(stream.{QUANTITIES[chosen].attribute}, {units_of(view)})",
    ]
    uses = (load_model, unit_means, units)
    code = ViewCode("\n".join(lines), ResidualStream, uses, "Vaswani et al. 2017, 3.1")
    file = stem("stream", chosen, capture.model, capture.text.lower())
    chart(figure, key, file, alt, code=code, sides=[view])


def _norm(view: Subject, stream: ResidualStream) -> str:
    if stream.norm_placement == "post":
        words = _(
            "{model} is post-norm: a LayerNorm rescales each vector after every addition. So the "
            "lengths that enter and leave a layer mostly reflect that rescaling."
        )
    else:
        words = _(
            "Nothing rescales the residual stream of {model}, so its vectors usually get longer "
            "from layer to layer. The norm after the last layer is not shown."
        )
    return words.format(model=plain(view.capture().model))
