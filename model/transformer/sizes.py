"""Resources of a Transformer by its sizes: parameters, operations per token, memory.

All counts are computed from the sizes. :func:`build` makes the model that they describe.

In formulas: L n_layers, n tokens attended to, d d_model, F d_ff, V vocab_size, E width of the
token table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig, StackConfig, check_widths
from model.transformer.decoder import Decoder
from model.transformer.encoder import Encoder
from model.transformer.encoder_decoder import EncoderDecoder

Costs = dict[str, dict[str, int]]
"""Whole numbers by stack ("encoder", "decoder") and by part, in the order of the forward pass."""


@dataclass(frozen=True)
class Architecture:
    """An encoder, a decoder, or both (Vaswani et al. 2017, figure 1).

    Attributes:
        encoder: Sizes of the encoder; None for a decoder alone.
        decoder: Sizes of the decoder; None for an encoder alone.
        pooler: Count BERT's pooler, the dense layer over [CLS] that its published size includes.
            Our encoder has none, because nothing here reads it.
        shared_tokens: Count one token table for both sides (section 3.4). Our models have one each.

    Raises:
        HeadlightError: If there is no stack, or the options contradict each other.
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
        check_widths(encoder, decoder)
        tables = {(side.vocab_size, side.d_embedding) for side in (encoder, decoder)}
        if self.shared_tokens and len(tables) > 1:
            raise HeadlightError(
                "One token table for both sides needs one vocabulary and one width of the table."
            )

    @property
    def stacks(self) -> dict[str, StackConfig]:
        """The stacks that exist, by name."""
        sides: dict[str, StackConfig | None] = {"encoder": self.encoder, "decoder": self.decoder}
        return {name: config for name, config in sides.items() if config is not None}


# -- parameters ----------------------------------------------------------------------------------


def parameter_counts(config: StackConfig, *, pooler: bool = False) -> dict[str, int]:
    """Count the parameters of an encoder or a decoder by part, without building it.

    The output matrix of a decoder is its token table (section 3.4) and adds nothing.

    Args:
        config: The sizes.
        pooler: Add BERT's pooler, see :class:`Architecture`.

    Returns:
        Parameters by part, in the order of the forward pass. They sum to the model's size.
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
    """Count the parameters of each stack by part; they sum to the model's size.

    Args:
        architecture: The sizes.
    """
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
    """Build the model that :func:`parameters` counts, without a pooler.

    Args:
        architecture: Its sizes.
        device: Device of the model. On ``"meta"``, tensors have a shape and no memory, so that any
            size fits.
    """
    encoder, decoder = architecture.encoder, architecture.decoder
    with torch.device(device):
        if encoder is None or decoder is None:
            classes: dict[str, Callable[[Any], nn.Module]]
            classes = {"encoder": Encoder, "decoder": Decoder}
            ((name, config),) = architecture.stacks.items()
            return classes[name](config)
        both = EncoderDecoder(encoder, decoder)
        if architecture.shared_tokens:
            both.decoder.embeddings.token = both.encoder.embeddings.token
        return both


def _width(config: StackConfig) -> int:
    return config.d_embedding or config.d_model


# -- arithmetic ----------------------------------------------------------------------------------


def flops_per_token(architecture: Architecture, n_tokens: int, n_source: int = 0) -> Costs:
    """Count the floating-point operations of a forward pass for one token of each stack.

    A multiply-add counts as 2 (Kaplan et al. 2020, "Scaling Laws for Neural Language Models",
    section 2.1). Biases, norms, softmax and activations are left out: they are thousands of times
    fewer. An M x N matrix costs 2 M N for a token. In each layer, attention to n tokens costs 2 n d
    for the scores q . k and 2 n d for the sum of the values. The keys and values of
    cross-attention are computed once for each source token, and are counted with the encoder.

    Args:
        architecture: The sizes.
        n_tokens: Number of tokens that each token attends to in its own stack; in a decoder, for
            the last token.
        n_source: Tokens of the source. The cross-attention of the decoder attends to them, and in
            an encoder-decoder the tokens of the encoder too.
    """
    costs: Costs = {}
    decoder = architecture.decoder
    for name, config in architecture.stacks.items():
        d, layers = config.d_model, config.n_layers
        n_keys = n_source if name == "encoder" and decoder is not None else n_tokens
        widening = 2 * config.d_embedding * d if config.d_embedding else 0
        parts = {
            "token embedding": widening,
            "attention": layers * 2 * 4 * d * d,  # W^Q W^K W^V W^O
            "attention products": layers * 2 * 2 * n_keys * d,  # q . k, and the sum of the values
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
    """Compute the bytes of numbers, rounded up.

    Args:
        count: How many numbers.
        bits: Bits of each number.
    """
    return -(-count * bits // 8)


def cached_numbers(architecture: Architecture, n_tokens: int, n_source: int = 0) -> dict[str, int]:
    """Count the numbers in a decoder's key/value cache: 2 L n d for each attention.

    Args:
        architecture: The sizes. An encoder alone caches nothing.
        n_tokens: Tokens read and generated so far.
        n_source: Tokens of the source, for cross-attention.

    Returns:
        Counts by part.
    """
    decoder = architecture.decoder
    if decoder is None:
        return {}
    each = 2 * decoder.n_layers * decoder.d_model
    cached = {"attention": each * n_tokens}
    if decoder.cross_attention:
        cached["cross-attention"] = each * n_source
    return cached
