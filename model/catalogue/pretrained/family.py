"""What has to be known of a family of models before its attention can be seen.

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
from model.capture.sites import AttentionSite, Heads, Stack, split_heads
from model.capture.stream import LayerSite
from model.catalogue.loaded import Forward


def three_maps(config: PretrainedConfig, projected: list[Tensor], kwargs: dict[str, Any]) -> Heads:
    """Read q, k and v off a linear map each, as most families compute them."""
    return split_heads(config.num_attention_heads, projected, kwargs)


def from_the_first_row(config: PretrainedConfig) -> int:
    """The first token stands at row 0 of the table of positions, as in most families."""
    return 0


def usual_scale(attention: nn.Module) -> float | None:
    """The raw scores are divided by sqrt(K), as in most families."""
    return None


def nothing_to_refuse(name: str, config: PretrainedConfig) -> None:
    """All of the family's models can be shown, as of most families."""


@dataclass(frozen=True)
class LayerParts:
    """How the parts of a layer are called that add to the residual stream: paths within it.

    Attributes:
        attention: W^O.
        feed_forward: The second linear map of the feed-forward part.
        norms: Of post-norm layers, what normalises the two sums; None where they are pre-norm.
    """

    attention: str
    feed_forward: str
    norms: tuple[str, str] | None


@dataclass(frozen=True)
class HeadParts:
    """How the parts of a language head are called: paths within the model with it.

    Attributes:
        table: The linear map to logits.
        final_norm: What a pre-norm model normalises its last sum with; "" where the norm is post.
        transform: A masked-language head's dense map, its activation ("": GELU, as a function) and
            its norm; empty where the table reads the states themselves.
    """

    table: str
    final_norm: str = ""
    transform: tuple[str, ...] = ()

    def found(self, module: nn.Module) -> LanguageHead:
        """The head of a model."""
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
    """Where the models of a family keep what Headlight looks at, in the words of transformers.

    Attributes:
        model_type: What config.json calls it.
        projections: Names of the maps to q, k and v (or of the one to all three) in a module that
            computes attention: a module with these children is one, and returns (output, weights).
        output: How the path of W^O ends in each layer.
        parts: Of a layer; None where its sums are not to be seen from outside.
        head: Of its language head; None where it is not known.
        split: From the configuration, the projections' outputs and the attention's keyword
            arguments to q, k and v, (T, H, K) or (T, G, K), exactly as they enter the dot product.
        segments: Whether its models can be told which sentence of a pair a token belongs to.
        position_table: Path of the learned positions; None where order is told in another way.
        first_position: Row of them at which the first token stands.
        refuse: Raises a HeadlightError for a model of the family that cannot be shown; it is given
            the model's name and its configuration.
        stack: ``encoder``, or ``decoder`` of models whose tokens see no later ones.
        scale: What a module that computes attention multiplies its raw scores by; None:
            1 / sqrt(K).
    """

    model_type: str
    projections: tuple[str, ...]
    output: str
    parts: LayerParts | None = None
    head: HeadParts | None = None
    split: Callable[[PretrainedConfig, list[Tensor], dict[str, Any]], Heads] = three_maps
    segments: bool = False
    position_table: str | None = "embeddings.position_embeddings"
    first_position: Callable[[PretrainedConfig], int] = from_the_first_row
    refuse: Callable[[str, PretrainedConfig], None] = nothing_to_refuse
    stack: Stack = "encoder"
    scale: Callable[[nn.Module], float | None] = usual_scale

    def sites(self, encoder: nn.Module, config: PretrainedConfig) -> list[AttentionSite]:
        """The modules that compute attention, in the order of the layers."""
        return [
            AttentionSite(
                module,
                tuple(getattr(module, name) for name in self.projections),
                partial(self.split, config),
                stack=self.stack,
                scale=self.scale(module),
            )
            for module in encoder.modules()
            if all(hasattr(module, name) for name in self.projections)
        ]

    def outputs(self, encoder: nn.Module, config: PretrainedConfig) -> tuple[nn.Module, ...]:
        """W^O of each layer. ALBERT has fewer than layers: equal runs of them share one."""
        own = [
            module
            for path, module in encoder.named_modules()
            if path.endswith(f".{self.output}") and isinstance(module, (nn.Linear, Conv1D))
        ]
        n_layers = config.num_hidden_layers
        # In floating point, as AlbertTransformer divides: whole numbers would round otherwise.
        return tuple(own[int(layer / (n_layers / len(own)))] for layer in range(n_layers))

    def layers(self, encoder: nn.Module) -> tuple[LayerSite, ...]:
        """What the layers add up, each module once: a module with all these parts is a layer."""
        if self.parts is None:
            return ()
        found = []
        for module in encoder.modules():
            try:
                attention = module.get_submodule(self.parts.attention)
                feed_forward = module.get_submodule(self.parts.feed_forward)
            except AttributeError:  # no layer
                continue
            norms = None
            if self.parts.norms is not None:
                first, second = map(module.get_submodule, self.parts.norms)
                norms = (first, second)
            found.append(LayerSite(module, attention, feed_forward, norms))
        return tuple(found)

    def positions(self, encoder: nn.Module, config: PretrainedConfig) -> Tensor | None:
        """The learned positions, row 0 for the first token, (max_len, D)."""
        if self.position_table is None:
            return None
        table = encoder.get_parameter(f"{self.position_table}.weight").detach()
        return table[self.first_position(config) :]

    def max_len(self, config: PretrainedConfig) -> int:
        """Most tokens that a model takes."""
        return int(config.max_position_embeddings) - self.first_position(config)

    def forward(self, module: nn.Module, config: PretrainedConfig, *outputs: str) -> Forward:
        """Runs a module for one of its outputs, or several beside one another on a last axis."""
        # Without a cache, which would copy every key and value.
        settings = {"use_cache": False} if self.stack == "decoder" else {}
        with_segments = self.segments and config.type_vocab_size > 1

        def forward(token_ids: Tensor, segment_ids: Tensor) -> Tensor:
            segments = {"token_type_ids": segment_ids} if with_segments else {}
            result = module(input_ids=token_ids, return_dict=True, **segments, **settings)
            taken = [getattr(result, output) for output in outputs]
            return taken[0] if len(taken) == 1 else torch.stack(taken, dim=-1)

        return forward
