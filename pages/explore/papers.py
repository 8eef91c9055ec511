"""The figures of a side for a paper: its selected head as a heatmap or as lines, and all heads."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from pages.explore.selection import drawn_heads
from viz import attention_figure, lines_figure, overview_figure
from viz.paper.figures import Style
from viz.paper.sheet import PaperFigure
from web.language import _
from web.subject import Subject
from web.widgets.export import Paper, stem
from web.widgets.head_picker import head_name


def papers(view: Subject) -> dict[str, Paper]:
    """Return the figures by id, the one on screen first."""
    if not view.units:
        return {}
    heads = drawn_heads(view)
    layer, head = heads[0]
    style = Style(view.hue, st.session_state["scale"] == "sqrt", _)
    sentence, name = view.capture().text.lower(), head_name(layer, head)

    def paper(label: str, part: str, draw: Callable[..., PaperFigure], *place: Any) -> Paper:
        make = partial(_made, view, view.name, style, draw, place)
        return label, stem(view.name, part, sentence), make

    every = {
        "heatmap": paper(_("Heatmap"), name, attention_figure, layer, head),
        "lines": paper(_("Lines"), f"{name}-lines", lines_figure, heads),
        "heads": paper(_("All heads"), "heads", overview_figure),
    }
    shown = st.session_state["view"]
    return {shown: every[shown], **every}


def _made(
    view: Subject,
    name: str,
    style: Style,
    draw: Callable[..., PaperFigure],
    place: tuple[Any, ...],
    facts: Mapping[str, Any],
) -> PaperFigure:
    """Draw a figure of a side, in its units and with the model's name on screen."""
    keys, tokens = view.drawn.other_keys, tuple(unit.label for unit in view.units)
    capture = replace(
        view.drawn,
        model=name,
        tokens=tokens,
        weights=view.all_weights(),
        other_keys=None if keys is None else replace(keys, tokens=(*tokens, "sink")),
        allowed=tuple(view.allowed_in(layer) for layer in range(view.capture().n_layers)),
    )
    return draw(capture, *place, style, **facts)
