"""Code that reproduces what several pages show; a page's own code is in its ``notebook.py``."""

from functools import reduce
from operator import and_

from model import load_model
from model.analysis.align import align, difference
from model.analysis.depth import by_layer, reachable
from model.analysis.distances import shared_heads
from model.analysis.units import unit_allowed, unit_weights, units
from model.catalogue.placement import CPU
from viz import attention_heatmap, difference_heatmap
from web import settings
from web.widgets.recorder import Code, Notebook, code
from web.widgets.sides import SideRequest

MODEL, CAPTURE = Code("model"), Code("capture")

_REACHING = ("rollout", "flow")
"""Kinds whose weights also pass the masks of the layers below."""


def texts_of(request: SideRequest) -> list[str]:
    """The sentence, or both sentences of a pair."""
    return [text for text in (request.text, request.text_pair) if text is not None]


def loading(name: str) -> Code:
    """Code that loads a model to the device and the numbers of this server."""
    place = settings.now().placement
    used = {"device": place.device, "dtype": place.dtype}
    changed = {key: value for key, value in used.items() if value != getattr(CPU, key)}
    return code(load_model)(name, **changed)


def record_capture(notebook: Notebook, request: SideRequest) -> None:
    """Record ``model`` and ``capture``."""
    notebook.let("model", loading(request.model))
    notebook.let("capture", MODEL.attend(*texts_of(request)))


def units_of(request: SideRequest) -> Code:
    """The rows and columns of ``capture`` for the request's display options."""
    hidden = request.special != "show"
    return code(units)(CAPTURE, merge_words=request.merge_words, hide_special=hidden)


def between_units(request: SideRequest, weights: Code, shown: Code) -> Code:
    """Weights between tokens as weights between units."""
    return code(unit_weights)(weights, shown, renormalise=request.special == "renormalise")


def layer_weights(kind: str, layer: int, head: int) -> Code:
    """The weights between tokens that a kind of view shows of a layer."""
    if kind == "head":
        return CAPTURE.weights[layer, head]
    return code(by_layer)(MODEL, CAPTURE, kind)[layer]


def head_lines(request: SideRequest, layer: int, head: int) -> str:
    """Code of one head's heatmap."""
    return heatmap_lines(request, CAPTURE.weights[layer, head], masked_in=layer)


def heatmap_lines(request: SideRequest, weights: Code, masked_in: int | None = None) -> str:
    """Code of a heatmap for the request's display options.

    Args:
        request: The model, the sentence and the display options.
        weights: The weights between tokens.
        masked_in: The layer whose mask hides some cells; None if they belong to no layer.
    """
    notebook = Notebook()
    record_capture(notebook, request)
    masked = masked_in is not None and request.captured().allowed[masked_in] is not None
    allowed: dict[str, Code] = {"allowed": CAPTURE.allowed[masked_in]} if masked else {}
    # Only units contain the typed text of an unknown token.
    if (
        request.merge_words
        or request.special != "show"
        or any(u.unknown for u in request.view().units)
    ):
        shown = notebook.let("shown", units_of(request))
        weights = notebook.let("weights", between_units(request, weights, shown))
        if masked:
            mask = code(unit_allowed)([allowed["allowed"]], shown)[0]
            allowed = {"allowed": notebook.let("allowed", mask)}
        labels = notebook.let("labels", Code("[unit.label for unit in shown]"))
    else:
        labels = CAPTURE.tokens
    return notebook.show(code(attention_heatmap)(weights, labels, **allowed))


def difference_lines(
    first: SideRequest,
    second: SideRequest,
    kind: str,
    layers: tuple[int, int],
    heads: tuple[int, int],
) -> str:
    """Code of the difference of two heads or layers: the second minus the first.

    Args:
        first: The model and sentence of the first.
        second: The model and sentence of the second.
        kind: The kind of view.
        layers: The layer of each.
        heads: The head of each.
    """
    notebook = Notebook()
    weights = [layer_weights(kind, *place) for place in zip(layers, heads, strict=True)]
    masks = [_mask(of, kind, layer) for of, layer in zip((first, second), layers, strict=True)]
    record_pairs(notebook, {"first": first, "second": second}, weights, masks)
    pairs = Code("first_weights"), Code("second_weights"), Code("pairs")
    changed = notebook.let("changed", code(difference)(*pairs))
    labels = notebook.let("labels", Code("[first[i].label for i, _ in pairs]"))
    visible = []
    for side, (name, mask) in enumerate(zip(("first", "second"), masks, strict=True)):
        if mask is not None:
            notebook.let("places", Code(f"[pair[{side}] for pair in pairs]"))
            visible.append(
                notebook.let(f"{name}_visible", Code(f"{name}_visible[places][:, places]"))
            )
    allowed = {"allowed": reduce(and_, visible)} if visible else {}
    return notebook.show(code(difference_heatmap)(changed, labels, labels, **allowed))


def record_pairs(
    notebook: Notebook,
    sides: dict[str, SideRequest],
    weights: list[Code],
    masks: list[Code | None],
) -> None:
    """Record two captures between their units, and the ``pairs`` of units that correspond.

    Args:
        notebook: The notebook.
        sides: A request for each name: it becomes NAME, NAME_weights and NAME_visible.
        weights: The weights of each side, between tokens.
        masks: The mask of each side, between tokens; None if it hides nothing.
    """
    for (name, request), of_tokens, mask in zip(sides.items(), weights, masks, strict=True):
        record_capture(notebook, request)
        shown = notebook.let(name, units_of(request))
        notebook.let(f"{name}_weights", between_units(request, of_tokens, shown))
        if mask is not None:
            notebook.let(f"{name}_visible", code(unit_allowed)([mask], shown)[0])
    notebook.let("pairs", code(align)(*map(Code, sides)).pairs)


def shared_heads_of(
    notebook: Notebook, left: SideRequest, right: SideRequest, every: int
) -> list[Code]:
    """Record two models' weights between the units that they share.

    Args:
        notebook: The notebook.
        left: The left model and its sentence.
        right: The right model and its sentence.
        every: Take every n-th unit.

    Returns:
        The weights of all heads of each model.
    """
    record_pairs(notebook, {"ours": left, "theirs": right}, [CAPTURE.weights] * 2, [None, None])
    return [
        code(shared_heads)(Code(f"{name}_weights"), Code(places), stride=every)
        for name, places in (("ours", "[i for i, _ in pairs]"), ("theirs", "[j for _, j in pairs]"))
    ]


def _mask(request: SideRequest, kind: str, layer: int) -> Code | None:
    """The cells that a layer's view may contain; None if no mask hides any."""
    masks, recorded = [*request.captured().allowed[: layer + 1]], CAPTURE.allowed
    if kind in _REACHING:
        masks, recorded = reachable(masks), code(reachable)(CAPTURE.allowed)
    hides_nothing = unit_allowed(masks[layer:], request.view().units) is None
    return None if hides_nothing else recorded[layer]
