"""Quantile plot: the median of every head and two bands."""

import numpy as np
import pytest

from tests.viz.figures.samples import holds
from viz.figures.quantiles import LEVELS, quantile_figure

HEADS = ["L0·H<b>", "L1·H1", "L2·H0", "L2·H1"]
VALUES = dict(zip(LEVELS, np.sort(np.random.default_rng(3).random((5, 4)), axis=0), strict=True))


def test_the_median_is_a_point_for_each_head_and_the_bands_are_the_outer_quantiles():
    figure = quantile_figure(VALUES, HEADS, selected=2, quantity="share")
    *bands, median, marked = figure.data
    for band, level in zip(bands, (0.05, 0.95, 0.25, 0.75), strict=True):
        holds(band.y, VALUES[level])
    assert [band.fill for band in bands] == [None, "tonexty"] * 2
    holds(median.y, VALUES[0.5])
    assert median.customdata.tolist() == [0, 1, 2, 3]  # a click selects the head
    assert (marked.x[0], marked.y[0]) == (3, pytest.approx(VALUES[0.5][2]))
    assert figure.layout.yaxis.title.text == "share"


def test_hover_text_names_the_head_and_its_quantiles():
    text = quantile_figure(VALUES, HEADS).data[-1].text
    assert text[0].startswith("L0·H&lt;b&gt;<br>5%: ")
    assert f"50%: {VALUES[0.5][1]:.6g}" in text[1]


def test_values_that_do_not_match_the_heads_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"\(4,\).* 3 heads"):
        quantile_figure(VALUES, HEADS[:3])
