import numpy as np
import pytest

from viz.figures.rotations import rotated_pair

PLAIN = np.array([[1.0, 0.0], [0.0, 2.0]])
TURNED = np.array([[0.0, 1.0], [-2.0, 0.0]])  # both by a quarter turn


def test_each_arrow_begins_at_the_origin_and_ends_at_its_vector():
    arrows = {
        trace.name: trace for trace in rotated_pair(PLAIN, TURNED, top=2.0).data if trace.name
    }
    assert list(arrows) == ["q (not turned)", "k (not turned)", "q′ (turned)", "k′ (turned)"]
    for trace, vector in zip(arrows.values(), [*PLAIN, *TURNED], strict=True):
        assert (trace.x[0], trace.y[0]) == (0, 0)
        assert (trace.x[1], trace.y[1]) == tuple(vector)
        assert trace.marker.symbol[1] == "arrow"


def test_the_arc_goes_the_shorter_way_from_the_query_to_the_key():
    *_, arc = rotated_pair(PLAIN, np.array([[-1.0, 0.1], [-1.0, -0.1]]), top=2.0).data
    assert (arc.x < 0).all()  # not around the origin
    start, end = np.arctan2(arc.y[[0, -1]], arc.x[[0, -1]])
    assert start == pytest.approx(np.arctan2(0.1, -1), abs=1e-6)
    assert end == pytest.approx(np.arctan2(-0.1, -1), abs=1e-6)


def test_both_axes_have_one_scale_that_does_not_change_with_the_rotation():
    before, after = (rotated_pair(PLAIN, turned, top=2.0).layout for turned in (PLAIN, TURNED))
    assert before.xaxis.range == before.yaxis.range == after.xaxis.range
    assert before.yaxis.scaleanchor == "x"
