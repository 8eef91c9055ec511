"""Bar chart of a model's parameters by part, with the stacks as segments."""

from collections.abc import Mapping

import plotly.graph_objects as go

from viz.style.figure import FROM_THE_TOP, Translate, axis, figure, heading, label_room, legend_at
from viz.style.labels import literal
from viz.style.theme import HEAD_COLOURS

_COLOURS = (HEAD_COLOURS[2], HEAD_COLOURS[5])
"""These differ from the hues of the two sides because there are no sides here."""

_BAR = 30  # pixels


def parts_figure(
    counts: Mapping[str, Mapping[str, int]],
    *,
    title: str = "",
    names: Mapping[str, str] | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the number of parameters of each part.

    Args:
        counts: Parameters by stack and part, see :func:`model.transformer.sizes.parameters`.
        title: Title of the figure.
        names: Names of the stacks and parts by their ids, in the order of the bars. None uses
            the ids.
        translate: From English to the reader's language.
    """
    called = names or {}
    known = dict.fromkeys(part for of in counts.values() for part in of)
    parts = [*(part for part in called if part in known), *(p for p in known if p not in called)]
    labels = [literal(called.get(part, part)) for part in parts]
    total = sum(sum(of.values()) for of in counts.values()) or 1
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": literal(called.get(stack, stack)),
            "y": labels,
            "x": [of.get(part, 0) for part in parts],
            "customdata": [100 * of.get(part, 0) / total for part in parts],
            "marker": {"color": colour},
            "hovertemplate": (
                "%{y}<br>%{x:,d}<br>%{customdata:.2f} %<extra>%{fullData.name}</extra>"
            ),
        }
        for (stack, of), colour in zip(counts.items(), _COLOURS, strict=False)
    ]
    above = 64 if len(bars) > 1 else 36
    return figure(
        bars,
        x_axis=axis(translate("parameters"), rangemode="tozero", tickformat="~s", nticks=6),
        y_axis={**axis("", type="category", showgrid=False), **FROM_THE_TOP},
        height=above + 52 + _BAR * len(parts),
        margin={"l": label_room(labels) + 14, "r": 16, "t": above, "b": 52},
        title=heading(title),
        barmode="stack",
        bargap=0.3,
        showlegend=len(bars) > 1,
        legend=legend_at(1.01, "bottom", traceorder="normal"),
    )
