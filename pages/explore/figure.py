"""One side's selected head: a heatmap, or lines between the tokens."""

from functools import partial

import numpy as np
import streamlit as st

from pages.explore.selected_head import drawn_heads, selected
from viz import attention_heatmap, shortened
from viz.canvas import lines_payload
from viz.figures.heatmap import matrix_height
from viz.style.theme import HEAD_COLOURS, THEME_PAPER, rgb
from web import components
from web.language import _, plain
from web.subject import Subject
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_cells import heading
from web.widgets.head_picker import head_name, layers_without_attention
from web.widgets.sentence_box import pick_from, picked


def head_figure(view: Subject, left: Subject, weights: np.ndarray, top: float, rows: int) -> None:
    """Draw the figure, or a hint if all tokens are hidden.

    Picks are indices into the left side's units. ``rows`` of the longer side give both one height.
    """
    if not weights.size:
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
    elif selected(view)[0] in view.capture().without_attention():
        st.info(layers_without_attention(view.capture()))
    elif st.session_state["view"] == "lines":
        _lines(view, left, weights)
    else:
        title, subtitle = _title(view)
        figure = attention_heatmap(
            weights,
            [unit.label for unit in view.units],
            view.key_names,
            title=title,
            subtitle=subtitle,
            side=view.side,
            sqrt=st.session_state["scale"] == "sqrt",
            value_range=(0.0, top),
            picked=picked(view, left),
            allowed=view.allowed_in(selected(view)[0]),
            text_colour=THEME_TEXT,
            paper_colour=THEME_PAPER,
            height=matrix_height(rows),
            translate=_,
        )
        head = "L{}-H{}".format(*selected(view))
        file = stem(view.name, head, view.capture().text.lower())
        chart(figure, f"heatmap_{view.side}", file, _described(view, weights))


def _lines(view: Subject, left: Subject, weights: np.ndarray) -> None:
    heads = drawn_heads(view)
    others = heads[1:]
    stacked = [weights, *(view.between_units(view.drawn.weights[other]) for other in others)]
    masks = [view.allowed_in(layer) for layer, _head in heads]
    colours = [rgb(view.side)] if not others else list(HEAD_COLOURS[: len(stacked)])
    st.markdown("**{}**  \n{}".format(*map(plain, _title(view))))
    components.lines(
        lines_payload(
            np.stack(stacked),
            view.labels,
            key_labels=view.key_labels,
            allowed=_together(masks, weights.shape),
            masked=_("masked"),
            side=view.side,
            names=[head_name(*each) for each in heads],
            colours=colours,
            description=_described(view, weights),
        ),
        key=f"lines_{view.side}",
        on_picked=partial(pick_from, f"lines_{view.side}", view, left),
    )
    st.caption(
        _(
            "Lines run from the token that attends (query, left column) to the token "
            "attended to (key, right column). A stronger line is a larger weight; "
            "weights below 0.01 have none. Point at a token or tap it to see its numbers."
        )
    )


def _together(masks: list[np.ndarray | None], shape: tuple[int, ...]) -> np.ndarray | None:
    """Stack the masks of several heads, (heads, U, U); return None if none hides anything."""
    if all(mask is None for mask in masks):
        return None
    return np.stack([np.ones(shape, dtype=bool) if mask is None else mask for mask in masks])


def _title(view: Subject) -> tuple[str, str]:
    sentence = " | ".join(filter(None, (view.capture().text, view.capture().text_pair)))
    return heading(view.name, head_name(*selected(view))), shortened(sentence, 48)


def _described(view: Subject, weights: np.ndarray) -> str:
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    return _(
        "Attention weights of {model}, head {head}, {count} tokens. The largest "
        "is {query} to {key}, {weight:.4f}. A table of all values follows."
    ).format(
        model=view.name,
        head=head_name(*selected(view)),
        count=len(view.units),
        query=view.labels[query],
        key=(view.key_labels or view.labels)[key],
        weight=float(weights[query, key]),
    )
