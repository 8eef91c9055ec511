"""Bars of parameters: exact counts, order of the names, one colour for each stack."""

from viz.figures.sizes import parts_figure

COUNTS = {"encoder": {"attention": 30, "norms": 10}, "decoder": {"attention": 40, "cross": 20}}
NAMES = {"encoder": "<enc>", "attention": "Attention", "cross": "Cross", "norms": "Norms"}


def test_the_bars_are_the_counts_in_the_order_of_the_names():
    figure = parts_figure(COUNTS, title="100 <parameters>", names=NAMES)
    first, second = figure.data
    assert list(first.y) == list(second.y) == ["Attention", "Cross", "Norms"]
    assert list(first.x) == [30, 0, 10] and list(second.x) == [40, 20, 0]
    assert list(first.customdata) == [30, 0, 10]  # per cent of the total
    assert (first.name, second.name) == ("&lt;enc&gt;", "decoder")
    assert first.marker.color != second.marker.color
    assert figure.layout.barmode == "stack" and figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.title.text == "100 &lt;parameters&gt;"


def test_unnamed_parts_show_their_ids_and_one_stack_has_no_legend():
    figure = parts_figure({"decoder": {"attention": 2, "output": 0}})
    assert list(figure.data[0].y) == ["attention", "output"]
    assert figure.layout.showlegend is False
