"""Figures are sent without validation, and become Plotly figures on access."""

import copy
import pickle
from base64 import b64decode
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from tests.viz.figures.samples import FIGURES
from viz.style.figure import Figure


def read(part: Any) -> Any:
    """Packed numbers as a list, without empty values."""
    if isinstance(part, dict) and "bdata" in part:
        numbers = np.frombuffer(b64decode(part["bdata"]), part["dtype"])
        return numbers.tolist()
    if isinstance(part, dict):
        found = {name: read(value) for name, value in part.items() if name != "template"}
        return {name: value for name, value in found.items() if value not in (None, {}, [])}
    if isinstance(part, np.ndarray):
        return part.tolist()
    return [read(each) for each in part] if isinstance(part, (list, tuple)) else part


def flat(part: Any) -> Any:
    """Rows concatenated, because packed numbers have no rows here."""
    if isinstance(part, dict):
        return {name: flat(value) for name, value in part.items()}
    if isinstance(part, list) and part and all(isinstance(each, list) for each in part):
        return [flat(cell) for row in part for cell in row]
    return part


@pytest.mark.parametrize("name", FIGURES)
def test_the_unvalidated_parts_equal_plotlys_figure(name: str) -> None:
    sent = FIGURES[name]().to_dict()
    drawn = FIGURES[name]()
    assert drawn.data[0].type and isinstance(drawn, go.Figure)  # access makes it Plotly's
    theirs = drawn.to_dict()
    assert flat(read(sent["layout"])) == flat(read(theirs["layout"]))
    for ours, other in zip(sent["data"], theirs["data"], strict=True):
        assert flat(read(ours)) == flat(read(other))


def test_a_figure_can_be_changed_copied_and_pickled_like_plotlys() -> None:
    figure = Figure(data=[{"type": "bar", "y": [3, 1, 2]}], layout={"height": 300})
    before = figure.to_dict()
    figure.update_layout(height=240)
    assert before["layout"]["height"] == 300 and figure.to_dict()["layout"]["height"] == 240
    for other in (copy.deepcopy(figure), pickle.loads(pickle.dumps(figure)), go.Figure(figure)):
        assert list(other.data[0].y) == [3, 1, 2] and other.layout.height == 240
    with pytest.raises(ValueError, match="why"):  # Plotly validates on access
        _ = Figure(data=[{"type": "bar", "why": [1]}], layout={}).data
