"""Encoder-decoder families of transformers: where their models compute attention.

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
from model.catalogue.pretrained.family import refuse_nothing

TokenizerScheme = Literal["one", "marian"]
"""How the models tokenise: one tokenizer for both sides, or Marian's two."""


def capture_limit(config: PretrainedConfig) -> int:
    """Return the limit of a capture, for relative positions, which allow any length.

    Args:
        config: Configuration of the model.
    """
    return MAX_TOKENS


def position_limit(config: PretrainedConfig) -> int:
    """Return the number of positions.

    Args:
        config: Configuration of the model.
    """
    return int(config.max_position_embeddings)


@dataclass(frozen=True)
class EncoderDecoderFamily:
    """A family of encoder-decoders, described by the names that transformers uses.

    Attributes:
        model_type: Type in config.json.
        attentions: By stack, the end of the path of its attention modules in the encoder or the
            decoder.
        projections: Names of the maps to q, k and v in such a module.
        output: Name of W^O in it.
        n_heads: Name of its number of heads.
        counts: Names in config.json of the number of layers and of heads, for encoder and decoder.
        scale: Factor on the raw scores; None: 1 / sqrt(K).
        weights: Reads the weights (1, H, Tq, Tk) of a call.
        mask: Reads the mask of a call.
        bias: By stack, reads the bias on the scores; stacks without a bias are left out.
        max_len: Most tokens of either side.
        tokenizers: How text is tokenised.
        refuse: Raises a HeadlightError for a model of the family that cannot be shown, from the
            model's name and configuration.
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
    max_len: Callable[[PretrainedConfig], int] = position_limit
    tokenizers: TokenizerScheme = "one"
    refuse: Callable[[str, PretrainedConfig], None] = refuse_nothing

    def sites(self, module: PreTrainedModel) -> list[AttentionSite]:
        """List the attention modules of each stack, in the order of its layers.

        Args:
            module: A model of the family.
        """
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
        """List W^O of each of :meth:`sites`.

        Args:
            module: A model of the family.
        """
        return [getattr(attention, self.output) for _, attention in self._attentions(module)]

    def _attentions(self, module: PreTrainedModel) -> list[tuple[Stack, nn.Module]]:
        encoder, decoder = module.get_encoder(), module.get_decoder()  # type: ignore[no-untyped-call]
        # The decoder's layers contain cross-attention.
        parts = {"encoder": encoder, "decoder": decoder, "cross": decoder}
        return [
            (stack, attention)
            for stack, ending in self.attentions.items()
            for path, attention in parts[stack].named_modules()
            if path.endswith(f".{ending}")
        ]
