from viz.figures.training import training_curve


def test_the_curve_is_drawn_over_millions_of_tokens_with_the_change_named():
    figure = training_curve([4_000_000, 8_000_000], [0.1, 0.21], 6_000_000)
    (accuracy,) = figure.data
    assert (accuracy.x, accuracy.y) == ((4.0, 8.0), (0.1, 0.21))
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1, line.label.text) == (6.0, 6.0, "Wikipedia joins")
