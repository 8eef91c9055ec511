"""Figures and binary payloads from arrays."""

from viz.canvas import (
    lines_payload,
    overview_payload,
    thumbnail_block,
)
from viz.figures.heatmap import attention_heatmap, difference_heatmap
from viz.paper.figures import attention_figure, lines_figure, overview_figure
from viz.paper.sheet import provenance
from viz.style.labels import distinct, literal, shortened
from viz.style.theme import HEAD_COLOURS, SIDE_RGB, Side, colour_scale

__all__ = [
    "HEAD_COLOURS",
    "SIDE_RGB",
    "Side",
    "attention_figure",
    "attention_heatmap",
    "colour_scale",
    "difference_heatmap",
    "distinct",
    "lines_figure",
    "lines_payload",
    "literal",
    "overview_figure",
    "overview_payload",
    "provenance",
    "shortened",
    "thumbnail_block",
]
