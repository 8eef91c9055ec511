"""A whole layer of a model on a sentence, worked out once for everybody who looks at it."""

from dataclasses import dataclass

from torch import nn

from model import Encoder, EncoderLayer, HeadlightError, LoadedModel
from model.calculator.whole_layer import Checkpoint, WholeLayer, checkpoints, modules, whole_layer
from model.capture.states import passages
from pages.shared import cache
from pages.shared.once import shared
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


def layers_of(model: LoadedModel) -> list[EncoderLayer]:
    """The layers of a model that is made of ours.

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
    return [layer for layer in model.module.layers if isinstance(layer, EncoderLayer)]


@shared(LAYER_BYTES)
def layer_run(name: str, text: str, text_pair: str | None, layer: int) -> LayerRun:
    """Run a model on a sentence, and work one layer out from what entered it.

    Raises:
        HeadlightError: As :func:`layers_of` does, or if there is no text.
    """
    model = cache.loaded_model(name)
    chosen = layers_of(model)[layer]
    tokens = model.tokenize(text, text_pair)
    watched: list[nn.Module] = [chosen, *modules(chosen)]
    with cache.forward_pass():
        seen = passages(watched, lambda: model.hidden_states(text, text_pair))
    entered = seen[chosen].inputs[0]  # our encoders hide nothing: (T, D), and no mask
    whole = whole_layer(chosen, entered)

    def apart(point: Checkpoint) -> float:
        return float((seen[point.module].output - point.worked_out).abs().max())

    found = checkpoints(chosen, whole)
    off = {point.matrix: apart(point) for point in found}
    return LayerRun(whole, off, apart(found[-1]), tuple(distinct(tokens.pieces)))
