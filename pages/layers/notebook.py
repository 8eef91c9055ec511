"""Code of the views of the Layers page."""

from model.analysis.distances import jensen_shannon
from model.analysis.logit_lens import contributions, logit_lens
from model.analysis.measures import profile
from model.analysis.units import unit_means
from model.capture.whitespace import show_whitespace
from model.catalogue.token_names import token_namer
from pages.layers.url import QUANTITIES
from viz.figures.depth import profile_figure
from viz.figures.logit_lens import contributions_heatmap, lens_heatmap
from viz.figures.stream import stream_heatmap
from web.widgets.notebook import (
    CAPTURE,
    MODEL,
    heatmap_lines,
    layer_weights,
    record_capture,
    shared_heads_of,
    texts_of,
    units_of,
)
from web.widgets.recorder import Code, Notebook, code
from web.widgets.sides import SideRequest


def layer_lines(
    request: SideRequest, kind: str, layer: int, head: int, masked_in: int | None = None
) -> str:
    """Code of a layer's view; see :func:`model.analysis.depth.by_layer`."""
    masked_in = layer if kind == "head" else masked_in
    return heatmap_lines(request, layer_weights(kind, layer, head), masked_in)


def profile_lines(measure: str, *requests: SideRequest) -> str:
    """Code of a measure over the layers of one model or two."""
    notebook = Notebook()
    measured = notebook.let("measured", {})
    for request in requests:
        record_capture(notebook, request)
        notebook.let(f"measured[{request.side!r}]", code(profile)(CAPTURE)[measure])
    labels = {request.side: request.model for request in requests}
    return notebook.show(code(profile_figure)(measured, labels, title=measure, unit=""))


def similarity_lines(left: SideRequest, right: SideRequest, every: int = 1) -> str:
    """Code of the distances between all heads of two models."""
    notebook = Notebook()
    heads = shared_heads_of(notebook, left, right, every)
    notebook.run(notebook.let("distances", code(jensen_shannon)(*heads)))
    return notebook.text()


def stream_lines(request: SideRequest, quantity: str) -> str:
    """Code of a quantity of the residual stream; see :mod:`model.capture.residual_stream`."""
    notebook = Notebook()
    record_capture(notebook, request)
    shown = notebook.let("shown", units_of(request))
    stream = notebook.let("stream", MODEL.residual_stream(*texts_of(request)))
    values = notebook.let("values", code(unit_means)(getattr(stream, QUANTITIES[quantity]), shown))
    labels = Code("[unit.label for unit in shown]")
    return notebook.show(code(stream_heatmap)(values, labels))


def lens_lines(request: SideRequest, positions: tuple[int, ...]) -> str:
    """Code of the logit lens; see :mod:`model.analysis.logit_lens`."""
    notebook = Notebook()
    lens = _record_lens(notebook, request, positions)
    notebook.let("name", code(token_namer)(MODEL.tokenizer))
    notebook.let("visible", code(show_whitespace))
    predicted = notebook.let(
        "predicted",
        Code("[[[visible(name(int(i))) for i in cell] for cell in row] for row in lens.ids]"),
    )
    tokens = notebook.let("tokens", Code("[capture.tokens[i] for i in lens.positions]"))
    return notebook.show(code(lens_heatmap)(predicted, lens.probabilities, tokens))


def contribution_lines(
    request: SideRequest, positions: tuple[int, ...], position: int, token_id: int
) -> str:
    """Code of the contributions to a token's logit."""
    notebook = Notebook()
    lens = _record_lens(notebook, request, positions)
    parts = notebook.let("parts", code(contributions)(MODEL, CAPTURE, lens, position, token_id))
    notebook.run(code(print)(parts.total, parts.logit))
    return notebook.show(code(contributions_heatmap)(parts.heads, parts.feed_forward))


def _record_lens(notebook: Notebook, request: SideRequest, positions: tuple[int, ...]) -> Code:
    record_capture(notebook, request)
    span = range(positions[0], positions[-1] + 1)
    return notebook.let("lens", code(logit_lens)(MODEL, *texts_of(request), positions=span))
