import math

import numpy as np

from viz.figures.spread import spread_figures
from viz.style.theme import rgb

SIZES = (2, 4, 8, 16, 1024)
RANDOM = np.random.default_rng(0)
STD, ENTROPY, GRADIENT = PAIRS = tuple(tuple(RANDOM.random((2, 5))) for _ in range(3))


def figures(**changed):
    given = {"sizes": SIZES, "n_keys": 7, "std": STD, "entropy": ENTROPY, "gradient": GRADIENT}
    return spread_figures(**{**given, "current": 8, **changed})


def named(figure) -> dict:
    return {trace.name: trace for trace in figure.data if trace.showlegend is not False}


def test_each_curve_is_drawn_unchanged_in_its_figure_and_colour():
    titles = [figure.layout.title.text for figure in figures()]
    assert titles == [
        "Standard deviation of the scores",
        "Entropy of the weights",
        "Norm of the softmax's gradient",
    ]
    for figure, (raw, scaled) in zip(figures(), PAIRS, strict=True):
        curves = named(figure)
        assert set(curves) == {"undivided", "divided"}
        for name, values, side in (("undivided", raw, "left"), ("divided", scaled, "right")):
            assert tuple(curves[name].x) == SIZES
            np.testing.assert_array_equal(curves[name].y, values)
            assert curves[name].y.dtype == np.float64
            assert curves[name].line.color == curves[name].marker.color == rgb(side)


def test_each_figure_has_its_axes_its_guide_and_the_current_size():
    spread, entropy, gradient = figures(current=1024)
    for figure in (spread, entropy, gradient):
        axis = figure.layout.xaxis
        assert (axis.type, axis.tickvals) == ("log", SIZES)
        assert axis.ticktext == ("2", "4", "8", "16", "1024")
        low, high = (10**end for end in axis.range)
        assert 1 < low < 2 and 1024 < high < 2048
        (marker,) = figure.layout.shapes
        assert (marker.x0, marker.x1, marker.y0, marker.y1) == (1024, 1024, 0, 1)
    (root,), (most,) = ([t for t in f.data if t.showlegend is False] for f in (spread, entropy))
    np.testing.assert_allclose(root.y, np.sqrt(root.x))
    assert set(root.x) == set(most.x) == {2, 1024}
    np.testing.assert_allclose(most.y, math.log(7))
    assert all(trace.showlegend is None for trace in gradient.data)
    assert spread.layout.yaxis.type == "log"
    for figure, top in ((entropy, math.log(7)), (gradient, 0.5)):
        assert figure.layout.yaxis.type is None
        assert figure.layout.yaxis.range[0] == 0
        assert top < figure.layout.yaxis.range[1] < 1.2 * top
