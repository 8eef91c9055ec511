from itertools import combinations
from pathlib import Path

import numpy as np

from viz.style.theme import (
    HEAD_COLOURS,
    SIDE_RGB,
    SIGN_RGB,
    diverging_scale,
    signed_scale,
)

ROOT = Path(__file__).parents[3]

# Machado, Oliveira and Fernandes 2009, severity 1.0; they act on linear light.
COLOUR_VISION = {
    name: np.array([float(part) for part in matrix.split()]).reshape(3, 3)
    for name, matrix in {
        "normal": "1 0 0  0 1 0  0 0 1",
        "protanopia": "0.152286 1.052583 -0.204868  0.114503 0.786281 0.099216"
        " -0.003882 -0.048116 1.051998",
        "deuteranopia": "0.367322 0.860646 -0.227968  0.280085 0.672501 0.047413"
        " -0.011820 0.042940 0.968881",
        "tritanopia": "1.255528 -0.076749 -0.178779  -0.078411 0.930809 0.147602"
        " 0.004733 0.691367 0.303900",
    }.items()
}
WHITE = np.array([0.95047, 1.0, 1.08883])
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(rgb: tuple[int, int, int], vision: str) -> np.ndarray:
    """CIELAB of a colour for a kind of colour vision; 2 is the smallest visible distance."""
    srgb = np.array(rgb) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(COLOUR_VISION[vision] @ linear, 0, 1)
    xyz = TO_XYZ @ seen / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: tuple[int, int, int], other: tuple[int, int, int], vision: str) -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def test_the_hues_of_the_sides_differ_with_any_colour_vision_and_from_both_pages():
    left, right = SIDE_RGB["left"], SIDE_RGB["right"]
    assert left[0] > left[2] and right[0] < right[2]  # orange and blue
    for one, other in ((left, right), SIGN_RGB.values()):
        assert all(distance(one, other, vision) > 50 for vision in COLOUR_VISION)
    for page in ((255, 255, 255), (11, 13, 24)):
        assert min(distance(left, page, "normal"), distance(right, page, "normal")) > 40
    sheet = (ROOT / "web" / "components" / "classroom" / "classroom.css").read_text("utf-8")
    for side, hue in SIDE_RGB.items():
        assert f"--{side}: {', '.join(map(str, hue))};" in sheet


def test_twelve_heads_have_twelve_distinct_colours():
    assert len(HEAD_COLOURS) == 12
    colours = [tuple(bytes.fromhex(colour[1:])) for colour in HEAD_COLOURS]
    closest = min(distance(a, b, "normal") for a, b in combinations(colours, 2))
    assert closest > 10  # five times the smallest visible distance


def colour_at(scale, value: float) -> np.ndarray:
    stops = [stop for stop, _ in scale]
    parts = [[float(part) for part in css[5:-1].split(",")] for _, css in scale]
    return np.array([np.interp(value, stops, channel) for channel in zip(*parts, strict=True)])


def test_each_sign_has_a_hue_and_zero_is_transparent():
    scale = diverging_scale()
    assert [stop for stop, _ in scale] == [0, 0.5, 0.5, 1]
    np.testing.assert_allclose(colour_at(scale, 0.25), [*SIGN_RGB["negative"], 0.35])
    np.testing.assert_allclose(colour_at(scale, 0.75), [*SIGN_RGB["positive"], 0.35])
    assert {css.rsplit(",", 1)[1] for stop, css in scale if stop == 0.5} == {" 0)"}
    assert signed_scale("both") == scale
    negative = signed_scale("negative")
    np.testing.assert_allclose(colour_at(negative, 0), [*SIGN_RGB["negative"], 0.7])
    assert colour_at(negative, 1)[3] == 0
