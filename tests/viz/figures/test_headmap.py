"""Map of heads: one point for each head, with a shape and a colour."""

import numpy as np
import pytest

from viz.figures.headmap import SYMBOLS, head_map_figure

POINTS = np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5], [3.0, 3.0]])
NAMES = ["a <b>", "b", "c", "d"]
SIDES = ["left", "left", "right", "right"]
LAYERS = [0, 1, 0, 5]
MODELS = {"left": "ours", "right": "theirs & more"}


def drawn(**wanted):
    return head_map_figure(POINTS, NAMES, SIDES, LAYERS, models=MODELS, **wanted)


def heads_of(figure):
    """Position, symbol and colour of each head."""
    found = {}
    for curve in figure.data:
        if curve.customdata is None or curve.marker.symbol == "circle-open":
            continue
        for at, head in enumerate(curve.customdata):
            colour = curve.marker.color
            found[int(head)] = (
                (curve.x[at], curve.y[at]),
                curve.marker.symbol[at],
                colour if isinstance(colour, str) else colour[at],
            )
    return found


@pytest.mark.parametrize("labels", [None, ["next", "broad", "next", "sep"]])
def test_each_head_is_a_point_at_its_position_with_the_shape_of_its_model(labels):
    known = ["sep", "next", "broad"] if labels else []
    found = heads_of(drawn(labels=labels, known_labels=known))
    assert sorted(found) == [0, 1, 2, 3]
    for head, (place, symbol, _colour) in found.items():
        assert place == tuple(POINTS[head])
        assert symbol == SYMBOLS[SIDES[head]]


def test_layers_colour_the_points():
    assert [heads_of(drawn())[head][2] for head in range(4)] == LAYERS


def test_colours_of_labels_do_not_depend_on_the_labels_that_occur():
    known = ["self", "sep", "next"]
    first = heads_of(drawn(labels=["next", "sep", "next", "sep"], known_labels=known))
    second = heads_of(drawn(labels=["next", "next", "self", "next"], known_labels=known))
    assert first[0][2] == first[2][2] == second[0][2]
    assert len({first[0][2], first[1][2], second[2][2]}) == 3


def test_the_legend_names_both_models_and_escapes_markup():
    figure = drawn()
    named = [curve.name for curve in figure.data if curve.showlegend]
    assert named == ["ours", "theirs &amp; more"]
    texts = [text for curve in figure.data if curve.text for text in curve.text]
    assert "a &lt;b&gt;" in texts


def test_the_selected_head_has_a_ring():
    ring = next(c for c in drawn(selected=3).data if c.marker.symbol == "circle-open")
    assert (ring.x[0], ring.y[0]) == (3.0, 3.0)
    assert not [c for c in drawn().data if c.marker.symbol == "circle-open"]


def test_both_axes_have_the_same_scale():
    assert drawn().layout.yaxis.scaleanchor == "x"


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="4 points, but 3 names, 4 sides and 4 layers"):
        head_map_figure(POINTS, NAMES[:3], SIDES, LAYERS, models=MODELS)
