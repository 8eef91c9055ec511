"""Code of the views that only the Heads page has."""

from model.analysis.intervention import Intervention, intervene, next_tokens, total_variation
from viz import difference_heatmap
from web.widgets.notebook import MODEL, between_units, record_capture, units_of
from web.widgets.recorder import Code, Notebook, code
from web.widgets.sides import SideRequest


def change_lines(request: SideRequest, layer: int, head: int) -> str:
    """Code of the effect of a change on one head, and on the next token of a decoder."""
    notebook = Notebook()
    record_capture(notebook, request)
    change = notebook.let("change", request.change or Intervention())
    texts = request.text, request.text_pair
    runs = [
        notebook.let(name, code(intervene)(MODEL, *texts, wanted))
        for name, wanted in (("compared", change.baseline), ("changed", change))
    ]
    if request.captured().stack == "decoder":
        following = [code(next_tokens)(MODEL, run.hidden[[-1]])[0] for run in runs]
        notebook.let("following", following)
        notebook.let("moved", code(total_variation)(Code("*following")))
    shown = notebook.let("shown", units_of(request))
    before, after = (
        notebook.let(name, between_units(request, run.capture.weights[layer, head], shown))
        for name, run in zip(("before", "after"), runs, strict=True)
    )
    labels = notebook.let("labels", Code("[unit.label for unit in shown]"))
    return notebook.show(code(difference_heatmap)(after - before, labels, labels))
