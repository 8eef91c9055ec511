"""A whole layer of a model on a text, computed once and cached for all sessions."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from model import Encoder, EncoderDecoder, HeadlightError, LoadedModel
from model.calculator.layer_parts import WholeLayer
from model.calculator.whole_layer import (
    Checkpoint,
    OwnLayer,
    checkpoints,
    from_inputs,
    modules,
)
from model.capture.module_calls import record_module_calls
from pages.calculator.request import StackRequest
from viz import distinct
from web.cache import loaded_models
from web.cache.shared_cache import shared
from web.inference.operations import forward_queue

LAYER_BYTES = 128 * 1024**2


@dataclass(frozen=True)
class LayerRun:
    """A computed layer, and its differences from the model.

    Attributes:
        whole: Every step, for all tokens.
        errors: The largest difference from the model's own matrix, by the matrix's name.
        output_error: The largest difference of the layer's output.
        tokens: Names of the tokens, distinct.
        sources: Names of the source's tokens, for a layer with cross-attention.
    """

    whole: WholeLayer
    errors: dict[str, float]
    output_error: float
    tokens: tuple[str, ...]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Stack:
    """The layers of a stack, a forward pass through them, and its tokens."""

    layers: list[OwnLayer]
    run: Callable[[], object]
    tokens: tuple[str, ...]
    sources: tuple[str, ...] = ()


def _own_encoder(model: LoadedModel) -> Encoder:
    """The module of a model that consists of this project's layers.

    Raises:
        HeadlightError: If it consists of other layers.
    """
    if not isinstance(model.module, Encoder):
        raise HeadlightError(
            "This view needs a model of our own code, and {model} runs in the transformers "
            "library. Choose scratch, one of its checkpoints, scratch-untrained, or "
            "scratch-minilm, which has MiniLM's weights.",
            model=model.name,
        )
    return model.module


def _own_translator(name: str) -> EncoderDecoder:
    """The module of a translator that consists of this project's layers.

    Raises:
        HeadlightError: If it cannot be loaded, or consists of other layers.
    """
    module = loaded_models.translator(name).module
    if not isinstance(module, EncoderDecoder):
        raise HeadlightError(
            "This view needs a model of our own code, and {model} runs in the transformers "
            "library. Choose phrases or dates.",
            model=name,
        )
    return module


def sizes(request: StackRequest) -> tuple[int, int]:
    """Number of layers of a stack, and number of heads of a layer.

    Raises:
        HeadlightError: If the model cannot be loaded, or consists of other layers.
    """
    if request.stack == "encoder":
        model = loaded_models.loaded_model(request.model)
        _own_encoder(model)
        return model.n_layers, model.n_heads
    module = _own_translator(request.model)
    config = (module.decoder if request.stack == "decoder" else module.encoder).config
    return config.n_layers, config.n_heads


@shared(LAYER_BYTES)
def layer_run(request: StackRequest, layer: int) -> LayerRun:
    """Run a model on a text, and compute one layer from its input.

    Args:
        request: The model, the stack and the text.
        layer: The layer, from 0.

    Raises:
        HeadlightError: As :func:`sizes`, or if the model cannot read the text.
    """
    stack = _encoder(request) if request.stack == "encoder" else _translator(request)
    chosen = stack.layers[layer]
    with forward_queue.turn(), torch.inference_mode():
        seen = record_module_calls([chosen, *modules(chosen)], stack.run)
        whole = from_inputs(chosen, seen[chosen].inputs)

    def largest_error(point: Checkpoint) -> float:
        return float((seen[point.module].output - point.computed).abs().max())

    found = checkpoints(chosen, whole)
    errors = {point.matrix: largest_error(point) for point in found}
    names = (tuple(distinct(pieces)) for pieces in (stack.tokens, stack.sources))
    return LayerRun(whole, errors, largest_error(found[-1]), *names)


def _encoder(request: StackRequest) -> _Stack:
    model = loaded_models.loaded_model(request.model)
    layers: list[OwnLayer] = list(_own_encoder(model).layers)  # type: ignore[arg-type]
    tokens = model.tokenize(request.text, request.text_pair).pieces
    return _Stack(layers, lambda: model.hidden_states(request.text, request.text_pair), tokens)


def _translator(request: StackRequest) -> _Stack:
    module = _own_translator(request.model)
    translation = request.translation()
    read, written = translation.encoder, translation.decoder
    decoder = request.stack == "decoder"
    part = module.decoder if decoder else module.encoder
    layers: list[OwnLayer] = list(part.layers)  # type: ignore[arg-type]

    def run() -> object:
        return module(torch.tensor([read.token_ids]), torch.tensor([written.token_ids]))

    return _Stack(layers, run, *((written.tokens, read.tokens) if decoder else (read.tokens,)))
