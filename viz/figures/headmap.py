"""Map of heads as points in a plane."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import Part, Translate, axis, colour_bar, figure, heading, legend_at
from viz.style.labels import literal
from viz.style.theme import GREY, HEAD_COLOURS, Side, position_scale

SYMBOLS: dict[Side, str] = {"left": "circle", "right": "diamond"}


def head_map_figure(
    points: np.ndarray,
    names: Sequence[str],
    sides: Sequence[Side],
    layers: Sequence[int],
    *,
    models: Mapping[Side, str],
    labels: Sequence[str] | None = None,
    known_labels: Sequence[str] = (),
    selected: int | None = None,
    title: str = "",
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw every head of both models as a point. The shape of a point is its model.

    Args:
        points: Coordinates of the heads, (N, 2).
        names: Names of the heads, length N.
        sides: Side of each head, length N.
        layers: Layer of each head, length N. It sets the colour if there are no labels.
        models: Name of each side's model.
        labels: Label of each head, length N. It sets the colour.
        known_labels: All possible labels, which fixes their colours. The last one, for heads
            without another label, is grey.
        selected: Index of the head with a ring.
        title: Title of the figure.
        text_colour: CSS colour of the ring.
        translate: From English to the reader's language.

    Raises:
        ValueError: If names, sides or layers do not match the points.
    """
    if not len(points) == len(names) == len(sides) == len(layers):
        raise ValueError(
            f"There are {len(points)} points, but {len(names)} names, {len(sides)} sides and "
            f"{len(layers)} layers."
        )
    everything = range(len(points))
    traces: list[Part] = []
    if selected is not None:
        ring = {"symbol": "circle-open", "size": 22, "line": {"width": 2.5}}
        ring["color"] = text_colour or GREY
        traces.append({**_points(points, [selected], names), "marker": ring, "hoverinfo": "skip"})
    if labels is None:
        marker = {
            "size": 12,
            "symbol": [SYMBOLS[side] for side in sides],
            "color": list(layers),
            "colorscale": position_scale(),
            "cmin": 0,
            "cmax": max(layers),
            "colorbar": colour_bar(translate("layer"), tickformat="d"),
        }
        traces.append({**_points(points, everything, names), "marker": marker})
    else:
        for number, label in enumerate(known_labels):
            chosen = [i for i in everything if labels[i] == label]
            if chosen:
                marker = {
                    "size": 12,
                    "symbol": [SYMBOLS[sides[i]] for i in chosen],
                    "color": GREY if label == known_labels[-1] else HEAD_COLOURS[number],
                }
                legend = {"name": literal(label), "showlegend": True}
                traces.append({**_points(points, chosen, names), "marker": marker, **legend})
    for side, model in models.items():  # traces that only add legend entries
        traces.append(
            {
                "type": "scatter",
                "x": [None],
                "y": [None],
                "mode": "markers",
                "name": literal(model),
                "marker": {"symbol": SYMBOLS[side], "size": 11, "color": GREY},
                "showlegend": True,
                "hoverinfo": "skip",
            }
        )
    plane = axis("", showticklabels=False, showgrid=False)
    return figure(
        traces,
        x_axis=plane,
        y_axis={**plane, "scaleanchor": "x"},  # both axes have the same scale
        height=560,
        margin={"l": 10, "r": 10, "t": 44, "b": 64},
        title=heading(title, at_top=False),
        legend=legend_at(-0.02, "top"),
        hovermode="closest",
    )


def _points(points: np.ndarray, chosen: Sequence[int], names: Sequence[str]) -> Part:
    return {
        "type": "scatter",
        "x": points[list(chosen), 0],
        "y": points[list(chosen), 1],
        "customdata": list(chosen),
        "text": [literal(names[i]) for i in chosen],
        "mode": "markers",
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }
