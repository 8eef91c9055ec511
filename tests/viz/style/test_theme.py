"""Colours that everybody can tell apart."""

from itertools import combinations

import numpy as np
import pytest

from viz import HEAD_COLOURS, SIDE_RGB

# Machado, Oliveira and Fernandes 2009, severity 1.0; they act on linear light.
COLOUR_VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
WHITE = np.array([0.95047, 1.0, 1.08883])
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(rgb: tuple[int, int, int], vision: str) -> np.ndarray:
    """CIELAB of a colour as someone sees it; a distance of 2 can just be told apart."""
    srgb = np.array(rgb) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(COLOUR_VISION[vision] @ linear, 0, 1)
    xyz = TO_XYZ @ seen / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: tuple[int, int, int], other: tuple[int, int, int], vision: str) -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


@pytest.mark.parametrize("vision", COLOUR_VISION)
def test_the_two_sides_are_far_apart_with_any_colour_vision(vision):
    assert distance(SIDE_RGB["left"], SIDE_RGB["right"], vision) > 50


@pytest.mark.parametrize("paper", [(255, 255, 255), (11, 13, 24)])
@pytest.mark.parametrize("side", SIDE_RGB)
def test_both_hues_stand_out_on_a_light_and_on_a_dark_page(side, paper):
    assert distance(SIDE_RGB[side], paper, "normal") > 40


def test_twelve_heads_have_twelve_distinct_colours():
    assert len(HEAD_COLOURS) == 12
    colours = [tuple(bytes.fromhex(colour[1:])) for colour in HEAD_COLOURS]
    closest = min(distance(a, b, "normal") for a, b in combinations(colours, 2))
    assert closest > 10  # five times what can just be told apart
