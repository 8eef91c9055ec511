"""Encoders and decoders of any type of transformers, without a description of the family.

A forward pass finds their attention layers and W^O. Most types compute attention through
transformers' interface, where our function runs. For the others, a search finds the modules with
their weights; their queries, keys and values stay unknown. The parts of the layers and the
positions stay unknown in both.
"""

import inspect
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    CONFIG_MAPPING,
    AttentionInterface,
    AutoModel,
    PretrainedConfig,
    PreTrainedModel,
)
from transformers.masking_utils import AttentionMaskInterface, eager_mask
from transformers.pytorch_utils import Conv1D

from model.capture.attention_interface import (
    FoundAttention,
    UnknownAttentionError,
    attend,
    find_attention,
    set_stack,
)
from model.capture.sites import AttentionSite, Stack
from model.capture.weight_search import find_outputs, find_weights
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained.checkpoint import load_module
from model.catalogue.pretrained.decoders import LANGUAGE_HEADS
from model.catalogue.pretrained.families import ENCODER_DECODERS, FAMILIES
from model.catalogue.pretrained.family import Family, HeadParts, split_projections
from model.errors import HeadlightError

IMPLEMENTATION = "headlight"
"""Name of our attention function in transformers."""

AttentionInterface.register(IMPLEMENTATION, attend)
AttentionMaskInterface.register(IMPLEMENTATION, eager_mask)

PROBE_IDS = (0, 1, 2, 3, 4)
UNLIMITED = 2**20
"""Tokens of models that state no limit. The size of a capture limits them."""

BIDIRECTIONAL = ("xlnet",)
"""Types with a language head whose tokens see later ones: XLNet's is for permuted texts."""


@dataclass(frozen=True)
class GeneralFamily(Family):
    """A family without a description.

    Attributes:
        attentions: The attention layers of the model.
        maps: W^O of each; empty if unknown.
    """

    attentions: tuple[AttentionSite, ...] = ()
    maps: tuple[nn.Module, ...] = ()

    def sites(self, encoder: nn.Module, config: PretrainedConfig) -> list[AttentionSite]:
        """List the attention modules in the order of the layers.

        Args:
            encoder: Not used.
            config: Not used.
        """
        return list(self.attentions)

    def outputs(self, encoder: nn.Module, config: PretrainedConfig) -> tuple[nn.Module, ...]:
        """List W^O of each layer; nothing if unknown.

        Args:
            encoder: Not used.
            config: Not used.
        """
        return self.maps

    def max_len(self, config: PretrainedConfig) -> int:
        """Return the most tokens that a model reads; UNLIMITED if it states no limit.

        Args:
            config: Its configuration.
        """
        stated = getattr(config, "max_position_embeddings", None)
        if isinstance(stated, int) and stated > 0:  # XLNet's is -1
            return super().max_len(config)
        return int(getattr(config, "max_seq_len", UNLIMITED))  # MPT's name of the limit


def declared_stack(declared: Mapping[str, Any]) -> Stack:
    """Return the stack of a model that no family describes: a language head makes it a decoder.

    Args:
        declared: Content of its config.json.
    """
    if declared["model_type"] in BIDIRECTIONAL:
        return "encoder"
    architectures = declared.get("architectures")
    saved_as = str(architectures[0]) if isinstance(architectures, list) and architectures else ""
    return "decoder" if saved_as.endswith(LANGUAGE_HEADS) else "encoder"


def declares_encoder_decoder(declared: Mapping[str, Any]) -> bool:
    """Check whether a model is an encoder-decoder.

    Args:
        declared: Content of its config.json.
    """
    model_type = declared["model_type"]
    if model_type in ENCODER_DECODERS or model_type in FAMILIES:
        return model_type in ENCODER_DECODERS
    return model_type in CONFIG_MAPPING and bool(declared.get("is_encoder_decoder"))


def check_type(name: str, config: PretrainedConfig) -> None:
    """Refuse a type of model whose attention cannot be captured.

    Args:
        name: Name of the model.
        config: Its configuration.

    Raises:
        HeadlightError: If the type reads no text, or has no attention that goes through the
            interface.
    """
    values = {"name": name, "model_type": config.model_type}
    counts = ("num_hidden_layers", "num_attention_heads", "hidden_size")
    sized = all(isinstance(getattr(config, count, None), int) for count in counts)
    try:
        with torch.device("meta"):
            make: Any = AutoModel.from_config  # untyped in transformers
            module = make(deepcopy(config)) if sized else None
    except TypeError as error:  # several base models of this type
        if config.architectures:
            raise
        raise HeadlightError(
            "The config.json of {name} does not name the class of the model. Write it into "
            "architectures.",
            name=name,
        ) from error
    except (ValueError, KeyError) as error:  # no base model of this type
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    if module is None:
        raise HeadlightError(
            "{name} is a model of type {model_type} and has no attention heads, so there is "
            "nothing to show.",
            **values,
        )
    if module.main_input_name != "input_ids":
        raise not_text(name, config)


def not_text(name: str, config: PretrainedConfig) -> HeadlightError:
    """Make the error for a model that reads no text.

    Args:
        name: Name of the model.
        config: Its configuration.
    """
    return HeadlightError(
        "{name} is a model of type {model_type}, which Headlight does not know as a model of text.",
        name=name,
        model_type=config.model_type,
    )


def cannot_run(name: str, place: Placement) -> HeadlightError:
    """Make the error for a model that mixes its 16-bit weights with 32-bit numbers (DeBERTa).

    Args:
        name: Name of the model.
        place: Where it should run.
    """
    return HeadlightError(
        "{name} cannot run in {dtype} on {device}. Choose float32 on the CPU.",
        name=name,
        dtype=place.dtype,
        device=place.device,
    )


def sum_tolerance(dtype: torch.dtype) -> float:
    """Return the most by which rounding lets a row of weights differ from 1.

    Args:
        dtype: Type of the weights.
    """
    return max(1e-3, 2 * torch.finfo(dtype).eps)


def load_general(
    name: str,
    folder: Path,
    config: PretrainedConfig,
    stack: Stack,
    auto_class: Any,
    place: Placement = CPU,
) -> tuple[GeneralFamily, PreTrainedModel]:
    """Load a model of any type, and find its attention.

    Args:
        name: Name of the model.
        folder: Its folder.
        config: Its configuration.
        stack: Its stack.
        auto_class: Auto class of transformers.
        place: Where the model runs.

    Raises:
        HeadlightError: If the weights cannot be read, a layer cannot be captured, or the type
            does not run in these numbers.
    """
    module = load_module(name, folder, config, auto_class, place)
    ids = torch.tensor([PROBE_IDS], device=module.device).remainder(config.vocab_size)
    try:
        weights = _returned_weights(module, ids)
    except RuntimeError as error:
        if place == CPU:  # Nyströmformer divides the text into segments of equal length
            raise HeadlightError(
                "{name} is a model of type {model_type}, which cannot read a text of {n_tokens} "
                "tokens. Headlight does not show such models.",
                name=name,
                model_type=config.model_type,
                n_tokens=len(PROBE_IDS),
            ) from error
        raise cannot_run(name, place) from error
    shape = (1, config.num_attention_heads, len(PROBE_IDS), len(PROBE_IDS))
    if len(weights) != config.num_hidden_layers or any(each.shape != shape for each in weights):
        raise HeadlightError(
            "Headlight captures only models in which every layer has attention with the same "
            "number of heads. {name} is built in another way.",
            name=name,
        )
    most = sum_tolerance(place.torch_dtype)
    if any((each.float().sum(-1) - 1).abs().max() > most for each in weights):
        raise HeadlightError(
            "The attention weights of {name} do not sum to 1 for each token, because it has "
            "attention sinks. Headlight does not show such models.",
            name=name,
        )
    causal = not any(each.triu(1).any() for each in weights)
    if causal != (stack == "decoder"):
        raise _wrong_head(name, causal)
    sites, maps = _found_steps(module, ids, weights, stack) or _found_weights(
        module, ids, weights, stack
    )
    if len(sites) != len(weights):
        raise HeadlightError(
            "{name} is a model of type {model_type}. Headlight cannot find the part of each layer "
            "that holds its attention weights.",
            name=name,
            model_type=config.model_type,
        )
    first_row = _first_row(module, config)
    head = _language_head(module, ids) if stack == "decoder" else None
    reads_segments = "token_type_ids" in inspect.signature(module.forward).parameters
    return GeneralFamily(
        model_type=config.model_type,
        projections=(),
        output="",
        head=head,
        first_position=lambda _: first_row,
        segments=reads_segments and hasattr(config, "type_vocab_size"),
        position_table=None,
        stack=stack,
        attentions=sites,
        maps=maps,
    ), module


Sites = tuple[tuple[AttentionSite, ...], tuple[nn.Module, ...]]
"""The attention layers of a model, and W^O of each; no W^O if unknown."""

LINEAR = (nn.Linear, Conv1D)


@torch.inference_mode()
def _returned_weights(module: PreTrainedModel, ids: Tensor) -> tuple[Tensor, ...]:
    """The weights of each layer as transformers returns them, (1, H, T, T); () if there are none.

    Args:
        module: The model, with eager attention.
        ids: Any tokens, (1, T).
    """
    result = module(input_ids=ids, output_attentions=True, return_dict=True)
    return tuple(each for each in getattr(result, "attentions", None) or () if each is not None)


@torch.inference_mode()
def _found_steps(
    module: PreTrainedModel, ids: Tensor, weights: tuple[Tensor, ...], stack: Stack
) -> Sites | None:
    """Let our function compute the attention of a model, and find its layers.

    Args:
        module: The model. It keeps our function, unless None is returned.
        ids: Any tokens, (1, T).
        weights: The weights of each layer, as the model returns them.
        stack: Its stack.

    Returns:
        The layers with W^O; None if the model does not call our function, or our function does not
        compute its weights.
    """
    if not module._supports_attention_backend:
        return None
    module.set_attn_implementation(IMPLEMENTATION)
    try:
        found = find_attention(module, lambda: module(input_ids=ids), LINEAR)
    except UnknownAttentionError:
        found = []
    maps = tuple(each.output for each in found if each.output is not None)
    if len(found) != len(weights) or not all(map(computes, found, weights)):
        module.set_attn_implementation("eager")
        return None
    set_stack((each.module for each in found), stack)
    split = partial(split_projections, module.config)
    sites = [AttentionSite(each.module, (), split, stack, hooked=False) for each in found]
    return tuple(sites), maps


def computes(found: FoundAttention, expected: Tensor) -> bool:
    """Check that our function computes the weights of a layer, and that its W^O is known.

    Args:
        found: The layer.
        expected: Its weights, (1, H, Tq, Tk), as the model returns them.
    """
    atol = max(1e-5, 4 * torch.finfo(expected.dtype).eps)
    same = found.weights.shape == expected.shape
    same = same and torch.allclose(found.weights, expected, rtol=0, atol=atol)
    return same and found.output is not None


@torch.inference_mode()
def _found_weights(
    module: PreTrainedModel, ids: Tensor, weights: tuple[Tensor, ...], stack: Stack
) -> Sites:
    """Find the modules that hold the weights of a model with attention code of its own."""

    def run() -> object:
        return module(input_ids=ids)

    return (
        tuple(find_weights(module, run, weights, stack)),
        find_outputs(module, run, weights, LINEAR),
    )


def _first_row(module: nn.Module, config: PretrainedConfig) -> int:
    """Row of the first token's position: RoBERTa's relatives begin after the padding's row."""
    rows = [
        part.padding_idx + 1
        for path, part in module.named_modules()
        if isinstance(part, nn.Embedding)
        and part.padding_idx is not None
        and path.endswith("position_embeddings")
        and part.num_embeddings == config.max_position_embeddings
    ]
    return max(rows, default=0)


@torch.inference_mode()
def _language_head(module: PreTrainedModel, ids: Tensor) -> HeadParts | None:
    """Find the final norm and the output table of a decoder.

    Args:
        module: The model.
        ids: Any tokens, (1, T).

    Returns:
        Their paths; None if the model computes its logits in another way, such as with a factor.
    """
    normed: dict[str, Tensor] = {}

    def keep(path: str, _module: nn.Module, _args: object, output: Any) -> None:
        normed[path] = output

    paths = {part: path for path, part in module.named_modules()}
    norms = {path: part for part, path in paths.items() if "norm" in type(part).__name__.lower()}
    handles = [part.register_forward_hook(partial(keep, path)) for path, part in norms.items()]
    try:
        result = module(input_ids=ids, output_hidden_states=True)
    finally:
        for handle in handles:
            handle.remove()
    find_table: Any = module.get_output_embeddings  # untyped in transformers
    states, table = result.hidden_states[-1], find_table()
    last = [path for path, x in normed.items() if isinstance(x, Tensor) and torch.equal(x, states)]
    if not isinstance(table, nn.Linear) or not last:
        return None
    if not torch.allclose(table(states), result.logits, rtol=0, atol=1e-5):
        return None
    return HeadParts(table=paths[table], final_norm=last[-1])


def _wrong_head(name: str, causal: bool) -> HeadlightError:
    if causal:
        return HeadlightError(
            "{name} was saved without its language head. Save it as a language model.", name=name
        )
    return HeadlightError(
        "The decoder of {name} lets tokens see later ones, so it cannot continue a text. Choose "
        "another model.",
        name=name,
    )
