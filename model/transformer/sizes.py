"""What a Transformer's sizes cost: parameters, arithmetic for each token, memory.

Everything is counted from the sizes; :func:`build` makes the model that the count is of.

In formulas: L n_layers, n tokens attended to, d d_model, F d_ff, V vocab_size, E width of the
token table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig, StackConfig
from model.transformer.decoder import Decoder
from model.transformer.encoder import Encoder
from model.transformer.encoder_decoder import EncoderDecoder

Costs = dict[str, dict[str, int]]
"""Whole numbers by stack, "encoder" and "decoder", and by part in the order of the forward pass."""


@dataclass(frozen=True)
class Architecture:
    """An encoder, a decoder, or both: figure 1 of Vaswani et al. 2017, or a half of it.

    Attributes:
        encoder: None for a decoder that stands alone.
        decoder: None for an encoder that stands alone.
        pooler: Count BERT's pooler, the dense layer over [CLS] that its published size includes.
            Our encoder has none: nothing in this project reads it.
        shared_tokens: Both sides read one token table (section 3.4), where ours have one each.

    Raises:
        HeadlightError: If the two sides do not fit together.
    """

    encoder: EncoderConfig | None = None
    decoder: DecoderConfig | None = None
    pooler: bool = False
    shared_tokens: bool = False

    def __post_init__(self) -> None:
        if self.encoder is None and self.decoder is None:
            raise HeadlightError("There is nothing to count: choose an encoder, a decoder or both.")
        if self.pooler and self.encoder is None:
            raise HeadlightError("The pooler stands on an encoder: a decoder has none.")
        if self.decoder is not None and self.decoder.cross_attention != (self.encoder is not None):
            raise HeadlightError(
                "Cross-attention looks at an encoder: a decoder has it beside one, and not alone."
            )
        if self.encoder is not None and self.decoder is not None:
            self._check_sides(self.encoder, self.decoder)
        elif self.shared_tokens:
            raise HeadlightError("One token table for both sides needs both sides.")

    def _check_sides(self, encoder: EncoderConfig, decoder: DecoderConfig) -> None:
        if encoder.d_model != decoder.d_model:
            raise HeadlightError(
                "The decoder reads what the encoder put out, so both need the same d_model, not "
                "{encoder} and {decoder}.",
                encoder=encoder.d_model,
                decoder=decoder.d_model,
            )
        tables = {(side.vocab_size, side.d_embedding) for side in (encoder, decoder)}
        if self.shared_tokens and len(tables) > 1:
            raise HeadlightError(
                "One token table for both sides needs one vocabulary and one width of the table."
            )

    @property
    def stacks(self) -> dict[str, StackConfig]:
        """What there is of both."""
        sides: dict[str, StackConfig | None] = {"encoder": self.encoder, "decoder": self.decoder}
        return {name: config for name, config in sides.items() if config is not None}


# -- parameters ----------------------------------------------------------------------------------


def parameter_counts(config: StackConfig, *, pooler: bool = False) -> dict[str, int]:
    """Count the parameters of an encoder or a decoder, part by part, without building it.

    The way out of a decoder is its token table again (section 3.4), and costs nothing.

    Args:
        config: The sizes.
        pooler: Add BERT's pooler, the dense layer over [CLS] that its published size includes.
            Our encoder has none: nothing in this project reads it.

    Returns:
        Parameters by part, in the order of the forward pass; their sum is the model's size.
    """
    d_model, d_ff = config.d_model, config.d_ff
    norm = 2 * d_model  # gain and bias
    attention = 4 * (d_model * d_model + d_model)  # W^Q W^K W^V W^O
    crosses = isinstance(config, DecoderConfig) and config.cross_attention
    segments = config.n_segments if isinstance(config, EncoderConfig) else 0
    n_norms = config.n_layers * (3 if crosses else 2) + (config.norm == "pre")
    width = _width(config)
    parts = {
        "token embedding": config.vocab_size * width
        + (width * d_model if config.d_embedding else 0),
        "positions": config.max_len * d_model if config.positions == "learned" else 0,
        "segments": segments * d_model,
        "embedding norm": norm if config.embedding_norm else 0,
        "attention": config.n_layers * attention,
        "cross-attention": config.n_layers * attention if crosses else 0,
        "feed-forward": config.n_layers * (2 * d_model * d_ff + d_ff + d_model),
        "layer norms": n_norms * norm,
        "pooler": d_model * d_model + d_model if pooler else 0,
    }
    return {part: count for part, count in parts.items() if count}


def parameters(architecture: Architecture) -> Costs:
    """Count the parameters of each stack, part by part; their sum is the model's size."""
    counts = {
        name: parameter_counts(config, pooler=architecture.pooler and name == "encoder")
        for name, config in architecture.stacks.items()
    }
    if architecture.shared_tokens:
        config = architecture.stacks["decoder"]
        counts["decoder"]["token embedding"] -= config.vocab_size * _width(config)
    return {
        stack: {part: count for part, count in parts.items() if count}
        for stack, parts in counts.items()
    }


def build(architecture: Architecture, device: str = "meta") -> nn.Module:
    """Build the model that :func:`parameters` counts, the pooler left out.

    Args:
        architecture: Its sizes.
        device: Where. On ``"meta"``, tensors have a shape and no numbers: any size fits.
    """
    encoder, decoder = architecture.encoder, architecture.decoder
    with torch.device(device):
        if encoder is None or decoder is None:
            alone: dict[str, Callable[[Any], nn.Module]]
            alone = {"encoder": Encoder, "decoder": Decoder}
            ((name, config),) = architecture.stacks.items()
            return alone[name](config)
        both = EncoderDecoder(encoder, decoder)
        if architecture.shared_tokens:
            both.decoder.embeddings.token = both.encoder.embeddings.token
        return both


def _width(config: StackConfig) -> int:
    return config.d_embedding or config.d_model


# -- arithmetic ----------------------------------------------------------------------------------


def flops_per_token(architecture: Architecture, n_tokens: int, n_source: int = 0) -> Costs:
    """Floating-point operations of a forward pass, for one token of each stack.

    A multiply-add counts as 2, as everywhere (Kaplan et al. 2020, "Scaling Laws for Neural
    Language Models", section 2.1); biases, norms, softmax and activations, thousands of times
    fewer, are left out. A matrix of M x N costs 2 M N for a token; attention to n tokens costs
    2 n d for the scores q . k and 2 n d for the sum of the values, in each layer. The keys and
    values of cross-attention are computed once for each token of the source: they are counted
    with the encoder.

    Args:
        architecture: The sizes.
        n_tokens: How many tokens each attends to in its own stack; of a decoder, the last one's.
        n_source: Tokens of the source, to which the decoder's cross-attention attends; where there
            is a decoder too, the encoder's tokens attend to these.
    """
    costs: Costs = {}
    decoder = architecture.decoder
    for name, config in architecture.stacks.items():
        d, layers = config.d_model, config.n_layers
        seen = n_source if name == "encoder" and decoder is not None else n_tokens
        widening = 2 * config.d_embedding * d if config.d_embedding else 0
        parts = {
            "token embedding": widening,
            "attention": layers * 2 * 4 * d * d,  # W^Q W^K W^V W^O
            "attention products": layers * 2 * 2 * seen * d,  # q . k, and the sum of the values
        }
        if name == "decoder" and architecture.encoder is not None:
            parts["cross-attention"] = layers * 2 * 2 * d * d  # W^Q W^O
            parts["cross-attention products"] = layers * 2 * 2 * n_source * d
        parts["feed-forward"] = layers * 2 * 2 * d * config.d_ff
        if name == "encoder" and decoder is not None:
            parts["cross-attention memory"] = decoder.n_layers * 2 * 2 * d * d  # W^K W^V
        if name == "decoder":
            parts["output"] = widening + 2 * _width(config) * config.vocab_size  # section 3.4
        costs[name] = {part: count for part, count in parts.items() if count}
    return costs


# -- memory --------------------------------------------------------------------------------------


def n_bytes(count: int, bits: int) -> int:
    """Bytes that so many numbers take, of so many bits each."""
    return -(-count * bits // 8)  # upwards


def cached_numbers(architecture: Architecture, n_tokens: int, n_source: int = 0) -> dict[str, int]:
    """Keys and values that a decoder keeps while it writes: 2 L n d of each attention.

    Args:
        architecture: The sizes. An encoder that stands alone keeps none.
        n_tokens: Read and written so far.
        n_source: Tokens of the source, for cross-attention.

    Returns:
        By part.
    """
    decoder = architecture.decoder
    if decoder is None:
        return {}
    each = 2 * decoder.n_layers * decoder.d_model
    cached = {"attention": each * n_tokens}
    if decoder.cross_attention:
        cached["cross-attention"] = each * n_source
    return cached
