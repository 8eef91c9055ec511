"""Families of encoders and decoders in transformers: where their models compute attention.

Axes: T tokens, H n_heads, G heads of keys and values, K d_head, D d_model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PretrainedConfig
from transformers.pytorch_utils import Conv1D

from model.capture.language_head import LanguageHead, Transform
from model.capture.residual_stream import LayerSite
from model.capture.sites import AttentionSite, FusedOrder, Heads, Stack, split_heads, to_cpu
from model.catalogue.loaded_model import Forward


def split_projections(
    config: PretrainedConfig, projected: list[Tensor], kwargs: dict[str, Any]
) -> Heads:
    """Split three projections into heads, as in most families: (1, T, D) each -> (T, H, K).

    Args:
        config: Configuration of the model.
        projected: Outputs of the maps to q, k and v.
        kwargs: Keyword arguments of the attention module; unused here.
    """
    return split_heads(config.num_attention_heads, projected, kwargs)


def first_row(config: PretrainedConfig) -> int:
    """Return 0, the row of the first token's position in most families.

    Args:
        config: Configuration of the model.
    """
    return 0


def default_scale(attention: nn.Module) -> float | None:
    """Return None: most families divide the raw scores by sqrt(K).

    Args:
        attention: Attention module of the model.
    """
    return None


def refuse_nothing(name: str, config: PretrainedConfig) -> None:
    """Accept all models of the family, as for most families.

    Args:
        name: Name of the model.
        config: Its configuration.
    """


@dataclass(frozen=True)
class LayerParts:
    """Paths within a layer of the modules that add to the residual stream.

    Attributes:
        attention: W^O.
        feed_forward: The second linear map of the feed-forward part.
        norms: The modules that normalise the two sums of a post-norm layer; None for pre-norm.
    """

    attention: str
    feed_forward: str
    norms: tuple[str, str] | None


@dataclass(frozen=True)
class HeadParts:
    """Paths within a model of the modules of its language head.

    Attributes:
        table: The linear map to logits.
        final_norm: Normalises the last sum of a pre-norm model; "" for post-norm.
        transform: Dense map, activation ("": GELU) and norm of a masked-language head; empty if the
            table reads the states directly.
    """

    table: str
    final_norm: str = ""
    transform: tuple[str, ...] = ()

    def of(self, module: nn.Module) -> LanguageHead:
        """Collect the language head of a model.

        Args:
            module: The model.
        """
        table = cast(nn.Linear, module.get_submodule(self.table))
        transform = None
        if self.transform:
            dense, activation, norm = self.transform
            transform = Transform(
                cast(nn.Linear, module.get_submodule(dense)),
                module.get_submodule(activation) if activation else functional.gelu,
                cast(nn.LayerNorm, module.get_submodule(norm)),
            )
        return LanguageHead(
            table=table.weight.detach(),
            bias=None if table.bias is None else table.bias.detach(),
            final_norm=module.get_submodule(self.final_norm) if self.final_norm else None,
            transform=transform,
        )


@dataclass(frozen=True)
class Family:
    """A family of models, described by the names that transformers uses.

    Attributes:
        model_type: Type in config.json.
        projections: Names of the maps to q, k and v, or of the fused map, in an attention module. A
            module with these children is one, and returns (output, weights).
        output: End of the path of W^O in each layer.
        parts: Parts of a layer; None if its sums cannot be recorded.
        head: Parts of the language head; None if unknown.
        split: From the configuration, the projections' outputs and the attention's keyword
            arguments to q, k and v, (T, H, K) or (T, G, K), exactly as they enter the dot product.
        order: Order of the columns of the fused map; None for three maps.
        segments: Whether the models take the sentence of each token of a pair.
        position_table: Path of the learned positions; None for other position encodings.
        first_position: Row of the first token's position.
        refuse: Raises a HeadlightError for a model of the family that cannot be shown, from the
            model's name and configuration.
        stack: ``encoder``, or ``decoder`` if no token sees a later one.
        scale: Factor of an attention module on its raw scores; None: 1 / sqrt(K).
    """

    model_type: str
    projections: tuple[str, ...]
    output: str
    parts: LayerParts | None = None
    head: HeadParts | None = None
    split: Callable[[PretrainedConfig, list[Tensor], dict[str, Any]], Heads] = split_projections
    order: FusedOrder | None = None
    segments: bool = False
    position_table: str | None = "embeddings.position_embeddings"
    first_position: Callable[[PretrainedConfig], int] = first_row
    refuse: Callable[[str, PretrainedConfig], None] = refuse_nothing
    stack: Stack = "encoder"
    scale: Callable[[nn.Module], float | None] = default_scale

    def sites(self, encoder: nn.Module, config: PretrainedConfig) -> list[AttentionSite]:
        """List the attention modules in the order of the layers.

        Args:
            encoder: The model without its head.
            config: Its configuration.
        """
        return [
            AttentionSite(
                module,
                tuple(getattr(module, name) for name in self.projections),
                partial(self.split, config),
                order=self.order,
                stack=self.stack,
                scale=self.scale(module),
            )
            for module in encoder.modules()
            if all(hasattr(module, name) for name in self.projections)
        ]

    def outputs(self, encoder: nn.Module, config: PretrainedConfig) -> tuple[nn.Module, ...]:
        """List W^O of each layer. In ALBERT, equal runs of layers share one.

        Args:
            encoder: The model without its head.
            config: Its configuration.
        """
        own = [
            module
            for path, module in encoder.named_modules()
            if path.endswith(f".{self.output}") and isinstance(module, (nn.Linear, Conv1D))
        ]
        n_layers = config.num_hidden_layers
        # Float division as in AlbertTransformer; integer division would round differently.
        return tuple(own[int(layer / (n_layers / len(own)))] for layer in range(n_layers))

    def layers(self, encoder: nn.Module) -> tuple[LayerSite, ...]:
        """List the layers with the modules that add to the residual stream, shared modules once.

        Args:
            encoder: The model without its head. A module that contains all parts is a layer.
        """
        if self.parts is None:
            return ()
        found = []
        for module in encoder.modules():
            try:
                attention = module.get_submodule(self.parts.attention)
                feed_forward = module.get_submodule(self.parts.feed_forward)
            except AttributeError:  # not a layer
                continue
            norms = None
            if self.parts.norms is not None:
                first, second = map(module.get_submodule, self.parts.norms)
                norms = (first, second)
            found.append(LayerSite(module, attention, feed_forward, norms))
        return tuple(found)

    def positions(self, encoder: nn.Module, config: PretrainedConfig) -> Tensor | None:
        """Return the learned positions, (max_len, D), row 0 for the first token; None without them.

        Args:
            encoder: The model without its head.
            config: Its configuration.
        """
        if self.position_table is None:
            return None
        table = encoder.get_parameter(f"{self.position_table}.weight").detach()
        return to_cpu(table[self.first_position(config) :])

    def max_len(self, config: PretrainedConfig) -> int:
        """Return the most tokens that a model reads.

        Beyond a length, LongRoPE rotates by other frequencies (Ding et al. 2024). transformers
        writes them into the module, which all threads share, and a key/value cache would keep keys
        of the old rotation. The limit is this length.

        Args:
            config: Its configuration.
        """
        rope = getattr(config, "rope_parameters", None) or {}
        by_layer = [rope] if "rope_type" in rope else rope.values()
        original = (
            int(layer["original_max_position_embeddings"])
            for layer in by_layer
            if layer["rope_type"] == "longrope"
        )
        return min([int(config.max_position_embeddings) - self.first_position(config), *original])

    def forward(self, module: nn.Module, config: PretrainedConfig, *outputs: str) -> Forward:
        """Make a function that runs a module for one of its outputs, or for several, on the CPU.

        Args:
            module: The module.
            config: Its configuration.
            *outputs: Names of the outputs. Several are stacked on a new last axis.
        """
        # A cache would copy every key and value.
        settings = {"use_cache": False} if self.stack == "decoder" else {}
        with_segments = self.segments and config.type_vocab_size > 1

        def forward(token_ids: Tensor, segment_ids: Tensor) -> Tensor:
            device = next(module.parameters()).device
            segments = {"token_type_ids": segment_ids.to(device)} if with_segments else {}
            ids = token_ids.to(device)
            result = module(input_ids=ids, return_dict=True, **segments, **settings)
            values = [to_cpu(getattr(result, output)) for output in outputs]
            # Several outputs: n x (1, T) -> (1, T, n)
            return values[0] if len(values) == 1 else torch.stack(values, dim=-1)

        return forward
