"""Finds the attention layers of a model of any type with a forward pass.

Most types compute attention through transformers' interface, where our function runs. For the
others, a search finds the modules with their weights; their queries, keys and values stay unknown.

Axes: H n_heads, T tokens (Tq queries, Tk keys), Ts source tokens, Tt target tokens.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface, eager_mask
from transformers.pytorch_utils import Conv1D

from model.capture.attention_hooks import check_finite
from model.capture.attention_interface import (
    FoundAttention,
    UnknownAttentionError,
    attend,
    find_attention,
    set_stack,
)
from model.capture.recorder import run_with_hook
from model.capture.sites import AttentionSite, Stack, layer_list
from model.capture.stream_search import Stream, find_stream
from model.capture.weight_search import find_outputs, find_weights
from model.catalogue.names import ModelKind
from model.catalogue.placement import CPU, Placement
from model.errors import HeadlightError

IMPLEMENTATION = "headlight"
"""Name of our attention function in transformers."""

AttentionInterface.register(IMPLEMENTATION, attend)
AttentionMaskInterface.register(IMPLEMENTATION, eager_mask)

PROBE_IDS = (0, 1, 2, 3, 4)
N_TARGET = 3
"""Tt of the pass. It differs from Ts, so that shapes tell the stacks apart."""

LINEAR = (nn.Linear, Conv1D)

CallLayer = Callable[..., object]
Weights = Mapping[Stack, tuple[Tensor, ...]]
"""The weights of each layer by stack, (1, H, Tq, Tk)."""


@dataclass(frozen=True)
class AttentionLayers:
    """The attention layers of a model, stack by stack, with W^O of each site (empty if unknown).

    ``numbers`` are the layers that have attention; None: all.
    """

    sites: tuple[AttentionSite, ...]
    outputs: tuple[nn.Module, ...]
    numbers: tuple[int, ...] | None = None


@torch.inference_mode()
def find_layers(
    name: str, module: PreTrainedModel, kind: ModelKind, place: Placement = CPU
) -> AttentionLayers:
    """Run a model of eager attention once, before it is shared, and find its attention layers."""
    text_config = module.config.get_text_config()
    ids = torch.tensor([PROBE_IDS], device=module.device).remainder(text_config.vocab_size)
    target = {"decoder_input_ids": ids[:, :N_TARGET], "use_cache": False}
    run = partial(module, input_ids=ids, **(target if kind == "translator" else {}))
    weights = _returned_weights(name, run, kind, module, place)
    if kind != "translator":
        weights = _directed(name, weights, kind)
    found = _with_steps(module, run, weights)  # whose rows sum to 1 with their sinks
    if found is None:
        _check_sums(name, weights, module, place)
        found = _without_steps(module, run, weights, kind)
    if found is None:
        raise HeadlightError(
            "{name} is a model of type {model_type}. Headlight cannot find the part of each layer "
            "that holds its attention weights.",
            name=name,
            model_type=module.config.model_type,
        )
    if kind == "translator" or len(found.sites) == text_config.num_hidden_layers:
        return found
    numbers = _numbers(module, found)
    if numbers is None:
        raise _other_layers(name, module)
    if any(isinstance(value, Tensor) for part in module.modules() for value in vars(part).values()):
        raise HeadlightError(
            "{name} (type {model_type}) keeps the state of its last text in the network, which all "
            "users share. Headlight does not show such models.",
            name=name,
            model_type=module.config.model_type,
        )
    return replace(found, numbers=numbers)


def _numbers(module: PreTrainedModel, found: AttentionLayers) -> tuple[int, ...] | None:
    """The layers that have attention, where others have none (Jamba); None if not one in each."""
    modules = [site.around or site.module for site in found.sites]
    layers = layer_list(module, modules[0])
    numbers = tuple(i for i, layer in enumerate(layers) if set(modules) & set(layer.modules()))
    n_layers = module.config.get_text_config().num_hidden_layers
    return numbers if len(layers) == n_layers and len(numbers) == len(modules) else None


def _other_layers(name: str, module: PreTrainedModel) -> HeadlightError:
    return HeadlightError(
        "Headlight captures only models in which every layer with attention has it between all "
        "tokens with the same number of heads. {name} (type {model_type}) is built in another way.",
        name=name,
        model_type=module.config.model_type,
    )


def _returned_weights(
    name: str, run: CallLayer, kind: ModelKind, module: PreTrainedModel, place: Placement
) -> Weights:
    """The weights as transformers returns them, checked."""
    model_type = module.config.model_type
    try:
        result = run(output_attentions=True, return_dict=True)
    except Exception as error:
        if place != CPU:  # DeBERTa mixes 16-bit weights with 32-bit numbers
            raise HeadlightError(
                "{name} cannot run in {dtype} on {device}. Choose float32 on the CPU.",
                name=name,
                dtype=place.dtype,
                device=place.device,
            ) from error
        raise HeadlightError(
            "{name} is a model of type {model_type}, which does not run on a text of {n_tokens} "
            "tokens with the settings of its config.json. transformers reports: {reason}.",
            name=name,
            model_type=model_type,
            n_tokens=len(PROBE_IDS),
            reason=str(error).partition("\n")[0][:200].rstrip("."),
        ) from error
    found = {
        stack: tuple(each for each in getattr(result, output, None) or () if each is not None)
        for stack, output in _outputs(kind).items()
    }
    if not all(_regular(each, stack, kind, module) for stack, each in found.items()):
        raise _other_layers(name, module)
    for each in found.values():
        check_finite(each, name, place.dtype)
    return found


def _check_sums(name: str, weights: Weights, module: PreTrainedModel, place: Placement) -> None:
    """Refuse numbers that are no weights, and rows that do not sum to 1."""
    each = [x.float() for layers in weights.values() for x in layers]
    most = max(1e-3, 2 * torch.finfo(place.torch_dtype).eps)  # by rounding
    if all((x.sum(-1) - 1).abs().max() <= most for x in each):
        return
    model_type = module.config.model_type
    if any(x.min() < 0 or x.max() > 1 + most for x in each):
        raise HeadlightError(
            "In place of attention weights, {name} (type {model_type}) returns numbers below 0 or "
            "above 1: scores before softmax. Headlight shows weights only.",
            name=name,
            model_type=model_type,
        )
    raise HeadlightError(
        "The attention weights of {name} (type {model_type}) do not sum to 1 for each token, and "
        "Headlight finds no attention sink that takes the rest. It does not show such models.",
        name=name,
        model_type=model_type,
    )


def probed_stream(module: PreTrainedModel, layers: AttentionLayers) -> Stream:
    """Find the residual stream and the language head of a model of one stack."""
    config = module.config.get_text_config()
    ids = torch.tensor([PROBE_IDS], device=module.device).remainder(config.vocab_size)

    def run() -> Tensor | None:
        logits: Tensor | None = getattr(module(input_ids=ids, return_dict=True), "logits", None)
        return logits

    site = layers.sites[0]
    find_table: Any = module.get_output_embeddings  # untyped in transformers
    cap = getattr(config, "final_logit_softcapping", None)
    return find_stream(module, run, site.around or site.module, layers.outputs, find_table(), cap)


@torch.inference_mode()
def mixes_elsewhere(base: nn.Module, layers: AttentionLayers, stream: Stream) -> bool:
    """Whether tokens see others without any attention, as beside that of Falcon-H1.

    False if all parts of the layers are known and sum to their outputs, or if W^O is unknown.
    """
    if not layers.outputs or all(site.attention for site in stream.layers):
        return False
    ids = torch.tensor([PROBE_IDS, (PROBE_IDS[-1], *PROBE_IDS[1:])])  # two first tokens
    states: Tensor = run_with_hook(
        dict.fromkeys(layers.outputs),
        lambda *call: torch.zeros_like(call[-1]),
        lambda: base(input_ids=ids.to(next(base.parameters()).device)).last_hidden_state,
    )
    one, other = states[:, 1:]  # (2, T, D) -> (T - 1, D) each
    return not torch.allclose(one, other, rtol=0, atol=1e-2 * float(one.abs().max()))


def _outputs(kind: ModelKind) -> Mapping[Stack, str]:
    """Names of the results of transformers that hold the weights of each stack."""
    if kind == "translator":
        return {stack: f"{stack}_attentions" for stack in get_args(Stack)}
    return {"decoder" if kind == "causal" else "encoder": "attentions"}


def _regular(
    weights: tuple[Tensor, ...], stack: Stack, kind: ModelKind, module: PreTrainedModel
) -> bool:
    """Check that each layer of a stack has weights of one shape, of all queries and all keys."""
    n_source, n_target = len(PROBE_IDS), N_TARGET
    if kind != "translator":
        config = module.config.get_text_config()
        shape = (1, config.num_attention_heads, n_source, n_source)
        n_layers = len(weights)  # fewer in models with layers without attention
        regular = 0 < n_layers <= config.num_hidden_layers
        return regular and all(x.shape == shape for x in weights)
    sizes = {
        "encoder": (n_source, n_source),
        "decoder": (n_target, n_target),
        "cross": (n_target, n_source),
    }
    return bool(weights) and all(
        isinstance(x, Tensor) and x.ndim == 4 and x.shape[2:] == sizes[stack] for x in weights
    )


def _directed(name: str, weights: Weights, kind: ModelKind) -> Weights:
    """Name the stack by what tokens see, and refuse a language model whose tokens see later ones.

    A decoder without a language head is a reader, such as a classifier or an embedding model.
    """
    (layers,) = weights.values()
    causal = not any(x.triu(1).any() for x in layers)
    if causal:
        return {"decoder": layers}
    if kind == "causal":
        raise HeadlightError(
            "The decoder of {name} lets tokens see later ones, so it cannot continue a text. "
            "Choose another model.",
            name=name,
        )
    return weights


def _with_steps(
    module: PreTrainedModel, run: CallLayer, weights: Weights
) -> AttentionLayers | None:
    """Let our function compute the attention; None if it does not compute the same weights."""
    module.set_attn_implementation(IMPLEMENTATION)
    try:
        found = find_attention(module, run, LINEAR)
    except UnknownAttentionError:
        found = []
    layers: list[tuple[FoundAttention, Stack]] = []
    for stack, expected in weights.items():
        own = [each for each in found if each.weights.shape[2:] == expected[0].shape[2:]]
        if len(own) != len(expected) or not all(map(_computes, own, expected)):
            module.set_attn_implementation("eager")
            return None
        set_stack((each.module for each in own), stack)
        layers += [(each, stack) for each in own]
    return AttentionLayers(
        tuple(AttentionSite(each.module, stack, hooked=False) for each, stack in layers),
        tuple(each.output for each, _ in layers if each.output is not None),
    )


def _computes(found: FoundAttention, expected: Tensor) -> bool:
    """Check that our function computes the weights of a layer, and that its W^O is known.

    Granite SWA returns them as if there were no sink: divided by what the sink leaves.
    """
    if found.weights.shape != expected.shape or found.output is None:
        return False
    known = [found.weights]
    if found.sink is not None:
        known.append(found.weights / (1 - found.sink[..., None]))
    atol = max(1e-5, 4 * torch.finfo(expected.dtype).eps)
    return any(torch.allclose(each, expected, rtol=0, atol=atol) for each in known)


def _without_steps(
    module: PreTrainedModel, run: CallLayer, weights: Weights, kind: ModelKind
) -> AttentionLayers | None:
    """Find the modules with the weights of a model with attention code of its own."""
    sites: list[AttentionSite] = []
    outputs: list[nn.Module] = []
    for stack, expected in weights.items():
        own = find_weights(module, run, expected, stack)
        maps = find_outputs(module, run, expected, LINEAR)
        if len(own) != len(expected) or (kind == "translator" and not maps):
            return None
        sites += own
        outputs += maps
    return AttentionLayers(tuple(sites), tuple(outputs))
