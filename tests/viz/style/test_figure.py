import copy
import pickle

import plotly.graph_objects as go
import pytest

from tests.viz.figures.samples import FIGURES
from viz.style.figure import Figure


@pytest.mark.parametrize("name", FIGURES)
def test_plotly_knows_every_property_that_is_sent(name: str) -> None:
    sent, drawn = FIGURES[name]().to_dict(), go.Figure(FIGURES[name]())  # raises at unknown names
    kinds = [trace["type"] for trace in sent["data"]]
    assert kinds == [trace.type for trace in drawn.data]
    assert {*kinds} <= {"scatter", "heatmap", "bar"}  # of the partial plotly.js that browsers get
    assert sent["layout"]["height"] == drawn.layout.height
    assert sent["layout"]["xaxis"]["title"]["text"] == drawn.layout.xaxis.title.text


def test_a_figure_can_be_changed_copied_and_pickled_like_plotlys() -> None:
    figure = Figure(data=[{"type": "bar", "y": [3, 1, 2]}], layout={"height": 300})
    before = figure.to_dict()
    figure.update_layout(height=240)
    assert before["layout"]["height"] == 300 and figure.to_dict()["layout"]["height"] == 240
    for other in (copy.deepcopy(figure), pickle.loads(pickle.dumps(figure)), go.Figure(figure)):
        assert list(other.data[0].y) == [3, 1, 2] and other.layout.height == 240
    with pytest.raises(ValueError, match="why"):  # Plotly validates on access
        _ = Figure(data=[{"type": "bar", "why": [1]}], layout={}).data
