"""Each side, each head and each sign has its hue."""

import re
from pathlib import Path

import numpy as np

from viz import HEAD_COLOURS, SIDE_RGB
from viz.style.theme import diverging_scale, rgb, signed_scale

ROOT = Path(__file__).parents[3]


def test_the_sides_are_orange_and_blue_and_twelve_heads_have_twelve_colours():
    left, right = SIDE_RGB["left"], SIDE_RGB["right"]
    assert left[0] > left[2] and right[0] < right[2]  # orange and blue
    assert len({*HEAD_COLOURS}) == len(HEAD_COLOURS) == 12
    sheet = (ROOT / "web" / "assets" / "page.css").read_text("utf-8")
    for side in SIDE_RGB:
        assert re.search(rf"head_of_{side}[^}}]*{re.escape(rgb(side))}", sheet)


def colour_at(scale, value: float) -> np.ndarray:
    stops = [stop for stop, _ in scale]
    parts = [[float(part) for part in css[5:-1].split(",")] for _, css in scale]
    return np.array([np.interp(value, stops, channel) for channel in zip(*parts, strict=True)])


def test_each_sign_has_a_hue_and_zero_is_transparent():
    scale = diverging_scale()
    assert [stop for stop, _ in scale] == [0, 0.5, 0.5, 1]
    np.testing.assert_allclose(colour_at(scale, 0.25), [*SIDE_RGB["left"], 0.5])
    np.testing.assert_allclose(colour_at(scale, 0.75), [*SIDE_RGB["right"], 0.5])
    assert {css.rsplit(",", 1)[1] for stop, css in scale if stop == 0.5} == {" 0)"}
    assert signed_scale("both") == scale
    positive, negative = signed_scale("positive"), signed_scale("negative")
    np.testing.assert_allclose(colour_at(positive, 1), [*SIDE_RGB["right"], 1])
    np.testing.assert_allclose(colour_at(negative, 0), [*SIDE_RGB["left"], 1])
    assert colour_at(positive, 0)[3] == colour_at(negative, 1)[3] == 0
