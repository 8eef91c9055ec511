"""Small layers of every kind with their forward passes; all sizes differ."""

import torch

from model import DecoderConfig, Encoder, EncoderConfig, EncoderDecoder
from model.calculator.layer_parts import WholeLayer
from model.calculator.whole_layer import OwnLayer, checkpoints, from_inputs, modules
from model.capture.module_calls import ModuleCalls, record_module_calls

N_TOKENS, N_SOURCES, D, H, F, LAYERS = 5, 7, 12, 3, 20, 2
SOURCE, TARGET = torch.arange(N_SOURCES)[None], torch.arange(2, 2 + N_TOKENS)[None]


def shaken(module: torch.nn.Module) -> torch.nn.Module:
    """Randomise all parameters: a missing gain of 1 or bias of 0 would not show."""
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0.1, 0.5, generator=generator)
    return module.eval()


def pass_through(
    kind: str, norm: str, activation: str
) -> tuple[list[tuple[OwnLayer, WholeLayer]], ModuleCalls]:
    """Each computed layer of an encoder or a decoder, and the model's own results."""
    sizes = {
        "d_model": D,
        "n_heads": H,
        "d_ff": F,
        "n_layers": LAYERS,
        "max_len": 9,
        "norm": norm,
        "activation": activation,
    }
    if kind == "encoder":
        model = shaken(Encoder(EncoderConfig(vocab_size=11, **sizes)))
        layers, ids = list(model.layers), (SOURCE,)
    else:
        both = EncoderDecoder(
            EncoderConfig(vocab_size=11, **sizes), DecoderConfig(vocab_size=13, **sizes)
        )
        model = shaken(both)
        layers, ids = list(model.decoder.layers), (SOURCE, TARGET)
    watched = [each for layer in layers for each in (layer, *modules(layer))]
    with torch.inference_mode():
        seen = record_module_calls(watched, lambda: model(*ids))
    return [(layer, from_inputs(layer, seen[layer].inputs)) for layer in layers], seen


def agrees(layer: OwnLayer, whole: WholeLayer, seen: ModuleCalls) -> None:
    """Compare inputs and outputs of norms and layers with the model's, to 1e-5.

    A sublayer's output before the norm may reach hundreds, where 32 bits have no fifth decimal. It
    may differ by a millionth of its largest number.
    """
    for point in checkpoints(layer, whole):
        theirs = seen[point.module].output
        size = point.computed.abs().max().item() if point.matrix.endswith("output") else 1.0
        tolerance = max(1e-5, 1e-6 * size)
        torch.testing.assert_close(point.computed.float(), theirs, rtol=0, atol=tolerance)
