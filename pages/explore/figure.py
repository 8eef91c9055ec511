"""One side's selected head: a heatmap, or lines between the tokens."""

from functools import partial

import numpy as np
import streamlit as st

from pages.explore.selected import selected
from viz import HEAD_COLOURS, attention_heatmap, lines_payload, shortened
from viz.figures.heatmap import matrix_height
from viz.style.theme import THEME_PAPER, rgb
from web import components
from web.language import _, plain
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_cells import heading
from web.widgets.head_picker import head_name
from web.widgets.sentence_box import pick_from, picked
from web.widgets.sides import Shown


def head_figure(shown: Shown, left: Shown, weights: np.ndarray, top: float, rows: int) -> None:
    """Draw it, or say that nothing is left to draw.

    Args:
        shown: The side.
        left: The left side, in whose units picks are kept.
        weights: Of the selected head between the side's units, (U, U).
        top: The weight that has the darkest colour, the same on both sides.
        rows: Of the side that has more: both figures are as tall.
    """
    if not weights.size:
        st.info(_("Only special tokens are left, and they are hidden."))
    elif st.session_state["view"] == "lines":
        _lines(shown, left, weights)
    else:
        title, subtitle = _title(shown)
        figure = attention_heatmap(
            weights,
            [unit.label for unit in shown.units],
            title=title,
            subtitle=subtitle,
            side=shown.side,
            sqrt=st.session_state["scale"] == "sqrt",
            value_range=(0.0, top),
            picked=picked(shown, left),
            allowed=shown.allowed_in(selected(shown)[0]),
            text_colour=THEME_TEXT,
            paper_colour=THEME_PAPER,
            height=matrix_height(rows),
            translate=_,
        )
        head = "L{}-H{}".format(*selected(shown))
        file = stem(shown.name, head, shown.capture.text.lower())
        chart(figure, f"heatmap_{shown.side}", file, _described(shown, weights))


def _lines(shown: Shown, left: Shown, weights: np.ndarray) -> None:
    capture, head = shown.capture, selected(shown)
    others = [
        (i, j)
        for i, j in st.session_state["overlaid"]
        if (i, j) != head and i < capture.n_layers and j < capture.n_heads
    ]
    stacked = [weights, *(shown.token_weights(capture.weights[other]) for other in others)]
    masks = [shown.allowed_in(layer) for layer, _head in (head, *others)]
    colours = [rgb(shown.side)] if not others else list(HEAD_COLOURS[: len(stacked)])
    st.markdown("**{}**  \n{}".format(*map(plain, _title(shown))))
    components.lines(
        lines_payload(
            np.stack(stacked),
            shown.labels,
            allowed=_together(masks, weights.shape),
            masked=_("masked"),
            side=shown.side,
            names=[head_name(*each) for each in (head, *others)],
            colours=colours,
            description=_described(shown, weights),
        ),
        key=f"lines_{shown.side}",
        on_picked=partial(pick_from, f"lines_{shown.side}", shown.recipe, left.recipe),
    )
    st.caption(
        _(
            "Left: attending (query); right: attended to (key). The stronger a line, the larger "
            "the weight; below 0.01 none is drawn. Hover a token to isolate it and read its "
            "numbers."
        )
    )


def _together(masks: list[np.ndarray | None], shape: tuple[int, ...]) -> np.ndarray | None:
    """The masks of several heads, (heads, U, U); None if none hides anything."""
    if all(mask is None for mask in masks):
        return None
    return np.stack([np.ones(shape, dtype=bool) if mask is None else mask for mask in masks])


def _title(shown: Shown) -> tuple[str, str]:
    sentence = " | ".join(filter(None, (shown.capture.text, shown.capture.text_pair)))
    return heading(shown.name, head_name(*selected(shown))), shortened(sentence, 48)


def _described(shown: Shown, weights: np.ndarray) -> str:
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    return _(
        "Attention weights of {model}, head {head}, {count} tokens; strongest: {query} to {key}, "
        "{weight:.4f}. A table of all values follows."
    ).format(
        model=shown.name,
        head=head_name(*selected(shown)),
        count=len(shown.units),
        query=shown.labels[query],
        key=shown.labels[key],
        weight=float(weights[query, key]),
    )
