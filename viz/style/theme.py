"""Every colour of the product, in one place.

Two hues name the two sides everywhere. Scales run from transparent to the hue, so that the same
figure sits on a light and on a dark page, and the hues are told apart with any colour vision
(orange and blue, after Okabe and Ito 2008).
"""

from typing import Literal

Side = Literal["left", "right"]

SIDE_RGB: dict[Side, tuple[int, int, int]] = {
    "left": (240, 125, 20),  # from-scratch: orange
    "right": (55, 135, 245),  # pretrained: blue
}

HEAD_COLOURS = (
    "#e6550d",
    "#2171b5",
    "#31a354",
    "#c51b8a",
    "#a6761d",
    "#6a51a3",
    "#00a6a6",
    "#d62728",
    "#8c8c00",
    "#5c7cfa",
    "#ff7fbf",
    "#636363",
)
"""Twelve heads overlaid in one figure: twelve distinct colours."""


def rgb(side: Side) -> str:
    """The side's hue as a CSS colour."""
    return "rgb({}, {}, {})".format(*SIDE_RGB[side])


def colour_scale(side: Side, *, sqrt: bool = False, steps: int = 32) -> list[list[float | str]]:
    """Plotly colour scale from transparent (low) to the side's hue (high).

    Args:
        side: Whose hue.
        sqrt: Opacity grows with the square root of the value, which brings out small weights;
            the values themselves stay as they are.
        steps: Number of stops; a curve needs several.
    """
    stops = [i / steps for i in range(steps + 1)] if sqrt else [0.0, 1.0]
    red, green, blue = SIDE_RGB[side]
    return [
        [stop, f"rgba({red}, {green}, {blue}, {stop**0.5 if sqrt else stop:.4f})"] for stop in stops
    ]


def diverging_scale() -> list[list[float | str]]:
    """Plotly colour scale for signed values: orange (low), transparent (middle), blue (high)."""
    low, high = SIDE_RGB["left"], SIDE_RGB["right"]
    # The middle twice: from hue to hue the way would lead through a third colour.
    stops = [(0.0, low, 1), (0.5, low, 0), (0.5, high, 0), (1.0, high, 1)]
    return [[stop, "rgba({}, {}, {}, {})".format(*hue, alpha)] for stop, hue, alpha in stops]


def position_scale() -> list[list[float | str]]:
    """Plotly colour scale for points in an order, from violet to amber, ever lighter.

    Points, unlike cells, must be seen at both ends, on a light page and on a dark one.
    """
    return [[0.0, "#7a4fe0"], [0.5, "#cc4a96"], [1.0, "#ea8f1c"]]
