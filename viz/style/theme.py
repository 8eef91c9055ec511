"""All colours of the application.

A model has one hue on every page: orange for our encoders, blue for all others, after Okabe and
Ito (2008). Signed numbers are magenta below 0 and green above it. Readers with any colour
vision can distinguish them. Scales run from transparent to the hue, so that a figure fits a light
page and a dark page.
"""

from typing import Literal

Side = Literal["left", "right"]

Sign = Literal["both", "negative"]
"""The signs of a matrix's values. 0 is allowed in both."""

SIDE_RGB: dict[Side, tuple[int, int, int]] = {
    "left": (240, 125, 20),  # orange: our encoders
    "right": (55, 135, 245),  # blue: other models
}
"""The hues. web/components/classroom/classroom.css repeats them."""

SIGN_RGB: dict[Literal["negative", "positive"], tuple[int, int, int]] = {
    "negative": (190, 30, 120),  # magenta
    "positive": (90, 170, 40),  # green
}
"""Colours of signed numbers."""

UNSIGNED_RGB = (105, 105, 125)
"""Colour of sizes without a sign, where the hues of the sides mean less and more."""

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
"""Twelve distinct colours for the heads in one figure."""

GREY = "rgb(128, 128, 128)"
"""Guides, marks and published values. Visible on a light page and on a dark page."""

HIDDEN = "rgba(128, 128, 128, 0.18)"
"""Masked cells of a grid."""

NOTHING = "rgba(0, 0, 0, 0)"
"""Transparent, for points that only receive hover events."""

PAPER, PAPER_FRAME, PAPER_SLASH, PAPER_NOTE = "#ffffff", "#b0b0b0", "#a0a0a0", "#606060"
"""Figures for a paper: the background, frames, masked cells and small text."""

THEME_TEXT = "#000037"
"""Placeholder that Streamlit replaces in charts with the theme's text colour."""

THEME_PAPER = "#000038"
"""Placeholder that Streamlit replaces in charts with the theme's background colour."""


def rgb(side: Side) -> str:
    """The side's hue as a CSS colour."""
    return "rgb({}, {}, {})".format(*SIDE_RGB[side])


STEPS = 32
"""Shades of a scale that is not linear, minus 1."""


def colour_scale(side: Side, *, sqrt: bool = False) -> list[list[float | str]]:
    """Plotly colour scale from transparent (low) to the side's hue (high).

    With ``sqrt``, opacity grows with the square root, which makes small weights visible.
    """
    stops = [i / STEPS for i in range(STEPS + 1)] if sqrt else [0.0, 1.0]
    red, green, blue = SIDE_RGB[side]
    return [
        [stop, f"rgba({red}, {green}, {blue}, {stop**0.5 if sqrt else stop:.4f})"] for stop in stops
    ]


def logarithmic_scale(side: Side, low: float) -> list[list[float | str]]:
    """Plotly colour scale whose opacity grows with the logarithm of the value, from ``low`` on."""
    red, green, blue = SIDE_RGB[side]
    shades = [f"rgba({red}, {green}, {blue}, {i / STEPS:.4f})" for i in range(STEPS + 1)]
    return [[0.0, shades[0]], *([low ** (1 - i / STEPS), s] for i, s in enumerate(shades))]


TABLE_BAR = "rgb(99 102 241 / 40%)"
"""Colour of the bars behind a table's numbers."""

STRONGEST = 0.7
"""Opacity of the largest signed values: their numbers stay readable in both themes."""


def diverging_scale(hues: tuple[Side, Side] | None = None) -> list[list[float | str]]:
    """Plotly colour scale for signed values, transparent in the middle.

    Args:
        hues: Of two models whose difference is shown; None for the colours of the signs.
    """
    low, high = (SIDE_RGB[hue] for hue in hues) if hues else SIGN_RGB.values()
    # Two stops in the middle: interpolation between the hues would add a third colour.
    stops = [(0.0, low, STRONGEST), (0.5, low, 0), (0.5, high, 0), (1.0, high, STRONGEST)]
    return [[stop, "rgba({}, {}, {}, {})".format(*hue, alpha)] for stop, hue, alpha in stops]


def signed_scale(sign: Sign) -> list[list[float | str]]:
    """Plotly colour scale for values of both signs, or of the negative one."""
    scale = diverging_scale()
    if sign == "both":
        return scale
    return [[float(end), colour] for end, (_stop, colour) in enumerate(scale[:2])]
