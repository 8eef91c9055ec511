"""Figures from arrays."""

from viz.figures.heatmap import attention_heatmap, difference_heatmap
from viz.paper.figures import attention_figure, lines_figure, overview_figure
from viz.paper.sheet import provenance
from viz.style.labels import distinct, shortened
from viz.style.theme import Side

__all__ = [
    "Side",
    "attention_figure",
    "attention_heatmap",
    "difference_heatmap",
    "distinct",
    "lines_figure",
    "overview_figure",
    "provenance",
    "shortened",
]
