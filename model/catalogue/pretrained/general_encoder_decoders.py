"""Encoder-decoders of any type of transformers, without a description of the family.

As for the other models (:mod:`model.catalogue.pretrained.general`), a forward pass finds the
attention layers and W^O. Its source and its target differ in length, so that the shapes of the
weights tell the three stacks apart.

Axes: H n_heads, Ts source tokens, Tt target tokens.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import torch
from torch import Tensor, nn
from transformers import (
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    AutoModelForSeq2SeqLM,
    PretrainedConfig,
    PreTrainedModel,
)

from model.capture.attention_interface import (
    UnknownAttentionError,
    find_attention,
    set_stack,
)
from model.capture.sites import AttentionSite, Stack, unknown_heads
from model.capture.tokens import MAX_TOKENS
from model.capture.weight_search import find_outputs, find_weights
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained.checkpoint import load_module
from model.catalogue.pretrained.encoder_decoder_family import EncoderDecoderFamily
from model.catalogue.pretrained.general import (
    IMPLEMENTATION,
    LINEAR,
    PROBE_IDS,
    cannot_run,
    computes,
    not_text,
    sum_tolerance,
)
from model.catalogue.pretrained.size_limits import check_heads
from model.errors import HeadlightError

N_TARGET = 3
"""Tt of the forward pass. Ts is the number of PROBE_IDS."""

Weights = Mapping[Stack, tuple[Tensor, ...]]
"""The weights of each layer by stack: (1, H, Ts, Ts), (1, H, Tt, Tt) and (1, H, Tt, Ts)."""

Site = tuple[AttentionSite, nn.Module]
"""An attention layer and its W^O."""


@dataclass(frozen=True)
class GeneralEncoderDecoder(EncoderDecoderFamily):
    """A family of encoder-decoders without a description.

    Attributes:
        found: The attention layers of a model, each with its W^O.
    """

    found: tuple[Site, ...] = ()

    def sites(self, module: PreTrainedModel) -> list[AttentionSite]:
        """List the attention modules of each stack, in the order of its layers.

        Args:
            module: Not used.
        """
        return [site for site, _ in self.found]

    def outputs(self, module: PreTrainedModel) -> list[nn.Module]:
        """List W^O of each of :meth:`sites`.

        Args:
            module: Not used.
        """
        return [output for _, output in self.found]


def check_type(name: str, config: PretrainedConfig) -> None:
    """Refuse an encoder-decoder that reads no text, or with too many heads.

    Args:
        name: Name of the model.
        config: Its configuration.

    Raises:
        HeadlightError: If it is one.
    """
    known = MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
    model_class = known.get(type(config), None)
    if getattr(model_class, "main_input_name", None) != "input_ids":
        raise not_text(name, config)
    for side in _sides(config):
        check_heads(name, side)


def load_general(
    name: str, folder: Path, config: PretrainedConfig, place: Placement = CPU
) -> tuple[GeneralEncoderDecoder, PreTrainedModel]:
    """Load an encoder-decoder of any type, and find its attention.

    Args:
        name: Name of the model.
        folder: Its folder.
        config: Its configuration.
        place: Where the model runs.

    Raises:
        HeadlightError: If the weights cannot be read, or a layer cannot be captured.
    """
    module = load_module(name, folder, config, AutoModelForSeq2SeqLM, place)
    source = torch.tensor([PROBE_IDS], device=module.device).remainder(config.vocab_size)

    def run(**settings: bool) -> object:
        target = source[:, :N_TARGET]
        return module(input_ids=source, decoder_input_ids=target, use_cache=False, **settings)

    found: list[Site] = []
    with torch.inference_mode():
        try:
            weights = _returned_weights(run)
        except RuntimeError as error:
            raise (
                _unreadable(name, config) if place == CPU else cannot_run(name, place)
            ) from error
        if weights:
            found = _found_steps(module, run, weights) or _found_weights(module, run, weights)
    if not found:
        raise _unreadable(name, config)
    return GeneralEncoderDecoder(
        model_type=config.model_type,
        attentions={},
        projections=("", "", ""),
        output="",
        n_heads="",
        counts=(("", ""), ("", "")),
        max_len=_limit,
        found=tuple(found),
    ), module


def _unreadable(name: str, config: PretrainedConfig) -> HeadlightError:
    return HeadlightError(
        "{name} is a model of type {model_type}. Headlight cannot read the form of its attention "
        "weights.",
        name=name,
        model_type=config.model_type,
    )


def _sides(config: PretrainedConfig) -> tuple[PretrainedConfig, PretrainedConfig]:
    """The configurations of encoder and decoder: parts of their own, or both the whole."""
    own = getattr(config, "encoder", None)
    encoder = own if isinstance(own, PretrainedConfig) else config.get_text_config(encoder=True)
    return encoder, config.get_text_config(decoder=True)


def _limit(config: PretrainedConfig) -> int:
    """Most tokens of either side."""
    stated = (getattr(side, "max_position_embeddings", None) for side in _sides(config))
    return min([MAX_TOKENS, *(most for most in stated if isinstance(most, int))])


def _returned_weights(run: Callable[..., object]) -> Weights:
    """The weights as transformers returns them; empty if a stack has others than expected."""
    result = run(output_attentions=True, return_dict=True)
    shapes = {
        "encoder": (len(PROBE_IDS), len(PROBE_IDS)),
        "decoder": (N_TARGET, N_TARGET),
        "cross": (N_TARGET, len(PROBE_IDS)),
    }
    weights: dict[Stack, tuple[Tensor, ...]] = {}
    for stack in get_args(Stack):
        weights[stack] = getattr(result, f"{stack}_attentions", None) or ()
        if not weights[stack] or not all(_sums_to_1(x, shapes[stack]) for x in weights[stack]):
            return {}
    return weights


def _sums_to_1(weights: object, shape: tuple[int, int]) -> bool:
    if not isinstance(weights, Tensor) or weights.ndim != 4 or weights.shape[2:] != shape:
        return False
    return bool((weights.float().sum(-1) - 1).abs().max() <= sum_tolerance(weights.dtype))


def _found_steps(
    module: PreTrainedModel, run: Callable[[], object], weights: Weights
) -> list[Site]:
    """Let our function compute the attention of a model; empty if it does not compute all of it."""
    module.set_attn_implementation(IMPLEMENTATION)
    try:
        found = find_attention(module, run, LINEAR)
    except UnknownAttentionError:
        found = []
    sites: list[Site] = []
    for stack, expected in weights.items():
        own = [each for each in found if each.weights.shape[2:] == expected[0].shape[2:]]
        if len(own) != len(expected) or not all(map(computes, own, expected)):
            module.set_attn_implementation("eager")
            return []
        set_stack((each.module for each in own), stack)
        sites += [
            (AttentionSite(each.module, (), unknown_heads, stack, hooked=False), each.output)
            for each in own
            if each.output is not None
        ]
    return sites


def _found_weights(
    module: PreTrainedModel, run: Callable[[], object], weights: Weights
) -> list[Site]:
    """Find the modules with the weights of a model; empty if those of a layer are not found."""
    sites: list[Site] = []
    for stack, expected in weights.items():
        own = find_weights(module, run, expected, stack)
        outputs = find_outputs(module, run, expected, LINEAR)
        if len(own) != len(expected) or not outputs:
            return []
        sites += zip(own, outputs, strict=True)
    return sites
