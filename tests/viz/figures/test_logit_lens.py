import numpy as np

from tests.viz.figures.samples import holds
from viz.figures.logit_lens import lens_heatmap
from viz.style.labels import percent

RANDOM = np.random.default_rng(0)
PROBABILITIES = np.sort(RANDOM.uniform(size=(4, 2, 3)).astype(np.float32))[..., ::-1]
SAID = [[[f"␣<b>{r}{t}{k}" for k in range(3)] for t in range(2)] for r in range(4)]


def test_each_cell_shows_its_first_candidate_coloured_by_probability():
    figure = lens_heatmap(SAID, PROBABILITIES, ["a", "a"], chosen=(2, 1))
    heatmap, cells = figure.data
    holds(heatmap.z, PROBABILITIES[:, :, 0])
    assert list(heatmap.y) == ["embeddings", "L0", "L1", "L2"]
    assert list(heatmap.x) == ["a₁", "a₂"]
    assert heatmap.text[3][1] == "&lt;b&gt;310"
    assert (heatmap.zmin, heatmap.zmax) == (0, 1)
    first, last = figure.layout.yaxis.range
    assert first > last  # the embeddings are the first row
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.5, 1.5, 1.5, 2.5)
    # The points follow the rows, and contain the candidates of their cells.
    assert list(cells.customdata) == list(range(8))
    assert (cells.x[5], cells.y[5]) == ("a₂", "L1")
    text = "".join(f"<br>␣&lt;b&gt;21{k} {percent(PROBABILITIES[2, 1, k])}" for k in range(3))
    assert cells.text[5] == text


def test_a_percentage_has_two_digits_or_one_of_its_distance_from_100():
    probabilities = (1, 0.999984, 0.87, 0.0997, 0.0643, 0.0000038, 1e-15, 0)
    expected = ["100%", "99.998%", "87%", "10%", "6.4%", "0.00038%", "1.0e-13%", "0%"]
    assert [percent(each) for each in probabilities] == expected
