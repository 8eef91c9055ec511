"""Figures of the experiment "Why divide by sqrt(d_k)?" (Vaswani et al. 2017, section 3.2.1)."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import HEIGHT, PlotlyDict, Translate, axis, figure, heading, legend_at
from viz.style.theme import GREY, rgb
from viz.style.traces import curve, guide

ArrayPair = tuple[np.ndarray, np.ndarray]
"""Values without and with the division by sqrt(d_k)."""


def spread_figures(
    sizes: Sequence[int],
    n_keys: int,
    std: ArrayPair,
    entropy: ArrayPair,
    gradient: ArrayPair,
    *,
    current: int,
    translate: Translate = str,
) -> tuple[go.Figure, go.Figure, go.Figure]:
    """Draw the spread of the scores, the entropy of the weights and the gradient over d_k.

    These are three figures, so that a phone stacks them.

    Args:
        std: Standard deviation of the scores, (S,) each.
        entropy: Entropy of the weights in nats, (S,) each.
        gradient: Norm of the softmax's Jacobian, 0 to 1/2, (S,) each.
    """
    ends = [sizes[0], sizes[-1]]
    ceiling = math.log(n_keys)
    dotted = translate("dotted: {what}")
    names = [(translate("undivided"), rgb("left")), (translate("divided"), rgb("right"))]
    # Fixed ranges make random draws comparable.
    return (
        _over_sizes(
            translate("Standard deviation of the scores"),
            sizes,
            [_level(ends, [math.sqrt(size) for size in ends]), *_curves(sizes, std, names)],
            axis(
                dotted.format(what="√d<sub>k</sub>"),
                type="log",
                range=[math.log10(0.5), math.log10(64)],
                tickvals=[0.5, 1, 2, 4, 8, 16, 32],
            ),
            current,
        ),
        _over_sizes(
            translate("Entropy of the weights"),
            sizes,
            [_level(ends, [ceiling, ceiling]), *_curves(sizes, entropy, names)],
            axis(dotted.format(what=f"ln {n_keys}"), range=[0, 1.12 * ceiling]),
            current,
        ),
        _over_sizes(
            translate("Norm of the softmax's gradient"),
            sizes,
            _curves(sizes, gradient, names),
            axis("‖∂w/∂s‖", range=[0, 0.52]),
            current,
        ),
    )


def _level(x: list[int], y: list[float]) -> PlotlyDict:
    """Dotted line of a theoretical value."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        # Wider than a curve, so that the dots stay visible under it.
        "line": {"color": GREY, "dash": "dot", "width": 6},
        "opacity": 0.5,
        "hoverinfo": "skip",
        "showlegend": False,  # a third entry would overlap the title in a narrow column
    }


def _curves(
    sizes: Sequence[int], values: ArrayPair, names: list[tuple[str, str]]
) -> list[PlotlyDict]:
    return [
        curve(
            list(sizes),
            drawn,
            colour,
            size=7,
            name=name,
            hovertemplate=f"d<sub>k</sub> = %{{x}}<br>%{{y:.6g}}<extra>{name}</extra>",
        )
        for (name, colour), drawn in zip(names, values, strict=True)
    ]


def _over_sizes(
    title: str, sizes: Sequence[int], curves: list[PlotlyDict], y_axis: PlotlyDict, current: int
) -> go.Figure:
    x_axis = axis(
        "d<sub>k</sub>",
        type="log",
        range=[math.log10(sizes[0] / 1.25), math.log10(sizes[-1] * 1.25)],
        tickvals=list(sizes),
        ticktext=[str(size) for size in sizes],
        autotickangles=[0, 90],  # vertical where they would overlap
        showgrid=False,
    )
    return figure(
        curves,
        x_axis=x_axis,
        y_axis=y_axis,
        height=HEIGHT,
        # In a narrow column the legend has two lines and the tick labels are vertical.
        margin={"l": 58, "r": 12, "t": 78, "b": 66},
        title={**heading(""), "text": title},  # not escaped: it contains d_k in markup
        legend=legend_at(1.04, "bottom"),
        shapes=[guide(x=current)],
    )
