"""A whole layer of a model on a sentence, worked out once for everybody who looks at it."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from model import Encoder, EncoderDecoder, HeadlightError, LoadedModel
from model.calculator.layer_parts import WholeLayer
from model.calculator.whole_layer import (
    Checkpoint,
    OurLayer,
    checkpoints,
    from_inputs,
    modules,
)
from model.capture.states import passages
from pages.calculator.asked import Asked
from pages.shared import loading
from pages.shared.once import shared
from pages.shared.turns import passes
from viz import distinct

LAYER_BYTES = 128 * 1024**2


@dataclass(frozen=True)
class LayerRun:
    """A layer worked out, and how far the model itself is from it.

    Attributes:
        whole: Every step, of all tokens.
        off: By the name of a matrix, the largest difference from the model's own.
        exit_off: That of what leaves the layer.
        tokens: Their names, distinct.
        sources: Those of the source's tokens, of a layer that looks at one.
    """

    whole: WholeLayer
    off: dict[str, float]
    exit_off: float
    tokens: tuple[str, ...]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Stack:
    """Layers, the pass that goes through them, and the tokens that it is of."""

    layers: list[OurLayer]
    run: Callable[[], object]
    tokens: tuple[str, ...]
    sources: tuple[str, ...] = ()


def check_ours(model: LoadedModel) -> Encoder:
    """The network of a model that is made of our layers.

    Raises:
        HeadlightError: If it is not.
    """
    if not isinstance(model.module, Encoder):
        raise HeadlightError(
            "{model} runs in the transformers library, whose layers differ from family to family: "
            "a whole layer is followed in our own code. Choose scratch, one of its checkpoints, "
            "scratch-untrained, or scratch-minilm, which carries MiniLM's weights.",
            model=model.name,
        )
    return model.module


def _our_translator(name: str) -> EncoderDecoder:
    """The network of a translator that is made of our layers.

    Raises:
        HeadlightError: If it cannot be loaded, or is not.
    """
    module = loading.translator(name).module
    if not isinstance(module, EncoderDecoder):
        raise HeadlightError(
            "{model} runs in the transformers library, whose layers differ from family to family: "
            "a whole layer is followed in our own code. Choose phrases or dates.",
            model=name,
        )
    return module


def sizes(asked: Asked) -> tuple[int, int]:
    """How many layers a stack has, and how many heads a layer.

    Raises:
        HeadlightError: If the model cannot be loaded, or is not made of our layers.
    """
    if asked.stack == "encoder":
        model = loading.loaded_model(asked.model)
        check_ours(model)
        return model.n_layers, model.n_heads
    module = _our_translator(asked.model)
    config = (module.decoder if asked.stack == "decoder" else module.encoder).config
    return config.n_layers, config.n_heads


@shared(LAYER_BYTES)
def layer_run(asked: Asked, layer: int) -> LayerRun:
    """Run a model on a text, and work one layer out from what entered it.

    Raises:
        HeadlightError: As :func:`sizes` does, or if the text cannot be read.
    """
    stack = _encoder(asked) if asked.stack == "encoder" else _translator(asked)
    chosen = stack.layers[layer]
    with passes.turn(), torch.inference_mode():
        seen = passages([chosen, *modules(chosen)], stack.run)
        whole = from_inputs(chosen, seen[chosen].inputs)

    def apart(point: Checkpoint) -> float:
        return float((seen[point.module].output - point.worked_out).abs().max())

    found = checkpoints(chosen, whole)
    off = {point.matrix: apart(point) for point in found}
    names = (tuple(distinct(pieces)) for pieces in (stack.tokens, stack.sources))
    return LayerRun(whole, off, apart(found[-1]), *names)


def _encoder(asked: Asked) -> _Stack:
    model = loading.loaded_model(asked.model)
    layers: list[OurLayer] = list(check_ours(model).layers)  # type: ignore[arg-type]
    tokens = model.tokenize(asked.text, asked.text_pair).pieces
    return _Stack(layers, lambda: model.hidden_states(asked.text, asked.text_pair), tokens)


def _translator(asked: Asked) -> _Stack:
    module = _our_translator(asked.model)
    translation = asked.translation()
    read, written = translation.encoder, translation.decoder
    decoder = asked.stack == "decoder"
    part = module.decoder if decoder else module.encoder
    layers: list[OurLayer] = list(part.layers)  # type: ignore[arg-type]

    def run() -> object:
        return module(torch.tensor([read.token_ids]), torch.tensor([written.token_ids]))

    return _Stack(layers, run, *((written.tokens, read.tokens) if decoder else (read.tokens,)))
