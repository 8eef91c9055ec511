from viz.figures.training import training_curves


def test_each_curve_has_its_own_axis_over_the_tokens():
    figure = training_curves([4_000_000, 8_000_000], [6.5, 5.9], [0.1, 0.21], 6_000_000)
    loss, accuracy = figure.data
    assert loss.x == accuracy.x == (4.0, 8.0)
    assert (loss.y, accuracy.y) == ((6.5, 5.9), (0.1, 0.21))
    assert (loss.yaxis, accuracy.yaxis) == ("y", "y2")
    assert (figure.layout.yaxis2.overlaying, figure.layout.yaxis2.side) == ("y", "right")
