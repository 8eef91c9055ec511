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
