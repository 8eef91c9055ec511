"""Every colour of the product, in one place.

Two hues name the two sides everywhere. Scales run from transparent to the hue, so that the same
figure sits on a light and on a dark page, and the hues are told apart with any colour vision
(orange and blue, after Okabe and Ito 2008).
"""

from typing import Literal

Side = Literal["left", "right"]

Sign = Literal["both", "positive", "negative"]
"""Which numbers a matrix may hold; 0 is of every sign."""

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

GREY = "rgb(128, 128, 128)"
"""Guides, marks and what was published: seen on a light page and on a dark one."""

HIDDEN = "rgba(128, 128, 128, 0.18)"
"""Cells of a grid that a mask hides."""

NOTHING = "rgba(0, 0, 0, 0)"
"""Of what is there to be pointed at alone."""

THREAD = "rgba(128, 128, 128, 0.45)"
"""What joins points without being one of them."""

THEME_TEXT = "#000037"
"""A colour that Streamlit replaces, in charts, by the text colour of the reader's theme."""

THEME_PAPER = "#000038"
"""The same of the background's."""


def rgb(side: Side) -> str:
    """The side's hue as a CSS colour."""
    return "rgb({}, {}, {})".format(*SIDE_RGB[side])


def faint(colour: str) -> str:
    """The same colour for an area behind a curve.

    Args:
        colour: A side's hue as :func:`rgb` gives it, or one of :data:`HEAD_COLOURS`.
    """
    if colour.startswith("#"):
        parts = tuple(bytes.fromhex(colour[1:]))
    else:
        parts = next(hue for side, hue in SIDE_RGB.items() if rgb(side) == colour)
    return "rgba({}, {}, {}, 0.18)".format(*parts)


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


def logarithmic_scale(side: Side, low: float, *, steps: int = 32) -> list[list[float | str]]:
    """The side's scale with its opacity after the logarithm; the values stay as they are.

    Args:
        side: Whose hue.
        low: What is still transparent, as a share of the strong end.
        steps: Number of stops.
    """
    red, green, blue = SIDE_RGB[side]
    shades = [f"rgba({red}, {green}, {blue}, {i / steps:.4f})" for i in range(steps + 1)]
    return [[0.0, shades[0]], *([low ** (1 - i / steps), s] for i, s in enumerate(shades))]


def diverging_scale() -> list[list[float | str]]:
    """Plotly colour scale for signed values: orange (low), transparent (middle), blue (high)."""
    low, high = SIDE_RGB["left"], SIDE_RGB["right"]
    # The middle twice: from hue to hue the way would lead through a third colour.
    stops = [(0.0, low, 1), (0.5, low, 0), (0.5, high, 0), (1.0, high, 1)]
    return [[stop, "rgba({}, {}, {}, {})".format(*hue, alpha)] for stop, hue, alpha in stops]


def signed_scale(sign: Sign) -> list[list[float | str]]:
    """Plotly colour scale for numbers of a sign, in the hues that :func:`diverging_scale` has."""
    if sign == "both":
        return diverging_scale()
    if sign == "positive":
        return colour_scale("right")
    full, none = (colour for _, colour in reversed(colour_scale("left")))
    return [[0.0, full], [1.0, none]]


def distance_scale() -> list[list[float | str]]:
    """Plotly colour scale for distances: near is what one looks for, so it is the strong end."""
    return [[0.0, "rgba(98, 79, 224, 1)"], [1.0, "rgba(98, 79, 224, 0)"]]


def position_scale() -> list[list[float | str]]:
    """Plotly colour scale for points in an order, from violet to amber, ever lighter.

    Points, unlike cells, must be seen at both ends, on a light page and on a dark one.
    """
    return [[0.0, "#7a4fe0"], [0.5, "#cc4a96"], [1.0, "#ea8f1c"]]
