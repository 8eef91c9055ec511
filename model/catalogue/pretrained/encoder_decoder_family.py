"""What has to be known of a family of encoder-decoders before its attention can be seen.

Axes: H n_heads, Tq queries, Tk keys.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from torch import nn
from transformers import PretrainedConfig, PreTrainedModel

from model.capture.sites import (
    AttentionSite,
    Read,
    Stack,
    attention_mask,
    no_bias,
    second_output,
    split_heads,
)
from model.capture.tokens import MAX_TOKENS
from model.catalogue.pretrained.family import nothing_to_refuse

Tokenizers = Literal["one", "marian"]
"""How its models cut text: one tokenizer for both sides, or Marian's two."""


def as_far_as_captured(config: PretrainedConfig) -> int:
    """Any length, where positions are told by distance."""
    return MAX_TOKENS


def as_far_as_positions(config: PretrainedConfig) -> int:
    """As many tokens as there are positions."""
    return int(config.max_position_embeddings)


@dataclass(frozen=True)
class EncoderDecoderFamily:
    """Where the models of a family keep what Headlight looks at, in the words of transformers.

    Attributes:
        model_type: What config.json calls it.
        attentions: By stack, how the path of its modules ends that compute attention, in the
            encoder, or in the decoder for the other two.
        projections: Names of the maps to q, k and v in such a module.
        output: Name of W^O in it.
        n_heads: Name of its number of heads.
        counts: What config.json calls the layers and the heads of the encoder, and of the decoder.
        scale: What its raw scores are multiplied by; None: 1 / sqrt(K).
        weights: Reads the weights (1, H, Tq, Tk) off a call of it.
        mask: Reads the mask.
        bias: By stack, reads what is added to its scores; nothing for those left out.
        max_len: Most tokens that either side takes.
        tokenizers: How text is cut.
        refuse: Raises a HeadlightError for a model of the family that cannot be shown; it is given
            the model's name and its configuration.
    """

    model_type: str
    attentions: Mapping[Stack, str]
    projections: tuple[str, str, str]
    output: str
    n_heads: str
    counts: tuple[tuple[str, str], tuple[str, str]]
    scale: float | None = None
    weights: Read = second_output
    mask: Read = attention_mask
    bias: Mapping[Stack, Read] = field(default_factory=dict)
    max_len: Callable[[PretrainedConfig], int] = as_far_as_positions
    tokenizers: Tokenizers = "one"
    refuse: Callable[[str, PretrainedConfig], None] = nothing_to_refuse

    def sites(self, module: PreTrainedModel) -> list[AttentionSite]:
        """The modules that compute attention: of each stack, in the order of its layers."""
        return [
            AttentionSite(
                attention,
                tuple(getattr(attention, name) for name in self.projections),
                partial(split_heads, getattr(attention, self.n_heads)),
                stack=stack,
                scale=self.scale,
                weights=self.weights,
                mask=self.mask,
                bias=self.bias.get(stack, no_bias),
            )
            for stack, attention in self._attentions(module)
        ]

    def outputs(self, module: PreTrainedModel) -> list[nn.Module]:
        """W^O of each of :meth:`sites`."""
        return [getattr(attention, self.output) for _, attention in self._attentions(module)]

    def _attentions(self, module: PreTrainedModel) -> list[tuple[Stack, nn.Module]]:
        parts = {"encoder": module.get_encoder(), "decoder": module.get_decoder()}  # type: ignore[no-untyped-call]
        return [
            (stack, attention)
            for stack, ending in self.attentions.items()
            for path, attention in parts.get(stack, parts["decoder"]).named_modules()
            if path.endswith(f".{ending}")
        ]
