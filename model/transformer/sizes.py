"""Resources of a Transformer by its sizes: parameters, operations per token, memory.

All counts are computed from the sizes. :func:`build` makes the model that they describe.

In formulas: L n_layers, n tokens attended to, d d_model, F d_ff, V vocab_size, E width of the
token table, H n_heads, G heads of keys and values, K d_head.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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
class Variants:
    """Variants of the layers in newer models, in all stacks alike. Our own models have none.

    Attributes:
        n_key_heads: G of grouped queries (Ainslie et al. 2023); None: one for each query head.
        gated: Whether the feed-forward part multiplies its values by a gate, a third matrix
            (Shazeer 2020, "GLU Variants Improve Transformer").
        biases: The linear maps that have biases.
        rms_norm: Whether the norms have a gain alone (Zhang and Sennrich 2019).
        qk_norm: Whether each layer normalises its queries and its keys, head by head.
        untied: Whether a decoder's output matrix is not its token table.
        n_buckets: Buckets of T5's relative positions, one learned score for each head and stack
            (Raffel et al. 2020, section 2.1); 0: no such scores.
        n_experts: Feed-forward parts per layer. A router chooses among several (Shazeer et al.
            2017).
        n_active: Experts that a token is sent to.

    Raises:
        HeadlightError: If a number is out of its range.
    """

    n_key_heads: int | None = None
    gated: bool = False
    biases: Literal["all", "qkv", "none"] = "all"
    rms_norm: bool = False
    qk_norm: bool = False
    untied: bool = False
    n_buckets: int = 0
    n_experts: int = 1
    n_active: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.n_active <= self.n_experts:
            raise HeadlightError(
                "A token can use 1 to {n_experts} experts, not {n_active}.",
                n_experts=self.n_experts,
                n_active=self.n_active,
            )


PLAIN = Variants()
"""The layers of Vaswani et al. 2017."""


@dataclass(frozen=True)
class Architecture:
    """An encoder, a decoder, or both (Vaswani et al. 2017, figure 1).

    Attributes:
        encoder: Sizes of the encoder; None for a decoder alone.
        decoder: Sizes of the decoder; None for an encoder alone.
        pooler: Count BERT's pooler, the dense layer over [CLS] that its published size includes.
            Our encoder has none, because nothing here reads it.
        shared_tokens: Count one token table for both sides (section 3.4). Our models have one each.
        variants: Variants of newer models.

    Raises:
        HeadlightError: If there is no stack, or the options contradict each other.
    """

    encoder: EncoderConfig | None = None
    decoder: DecoderConfig | None = None
    pooler: bool = False
    shared_tokens: bool = False
    variants: Variants = PLAIN

    def __post_init__(self) -> None:
        if self.encoder is None and self.decoder is None:
            raise HeadlightError("There is nothing to count. Choose an encoder, a decoder or both.")
        if self.pooler and self.encoder is None:
            raise HeadlightError("A decoder has no pooler. Turn it off, or choose an encoder.")
        if self.decoder is not None and self.decoder.cross_attention != (self.encoder is not None):
            raise HeadlightError(
                "A decoder has cross-attention if and only if there is an encoder."
            )
        if self.encoder is not None and self.decoder is not None:
            self._check_sides(self.encoder, self.decoder)
        elif self.shared_tokens:
            raise HeadlightError("A token table can be shared only by an encoder and a decoder.")
        for config in self.stacks.values():
            _check_groups(config.n_heads, self.variants.n_key_heads)

    def _check_sides(self, encoder: EncoderConfig, decoder: DecoderConfig) -> None:
        check_widths(encoder, decoder)
        tables = {(side.vocab_size, side.d_embedding) for side in (encoder, decoder)}
        if self.shared_tokens and len(tables) > 1:
            raise HeadlightError("A shared token table needs one vocabulary and one table width.")

    @property
    def stacks(self) -> dict[str, StackConfig]:
        """The stacks that exist, by name."""
        sides: dict[str, StackConfig | None] = {"encoder": self.encoder, "decoder": self.decoder}
        return {name: config for name, config in sides.items() if config is not None}


def _check_groups(n_heads: int, n_key_heads: int | None) -> None:
    if n_key_heads is not None and (n_key_heads < 1 or n_heads % n_key_heads):
        raise HeadlightError(
            "{n_heads} query heads cannot share {n_key_heads} key/value heads evenly.",
            n_heads=n_heads,
            n_key_heads=n_key_heads,
        )


# -- parameters ----------------------------------------------------------------------------------


def parameter_counts(
    config: StackConfig, *, pooler: bool = False, variants: Variants = PLAIN
) -> dict[str, int]:
    """Count the parameters of an encoder or a decoder by part, without building it.

    The output matrix of a decoder is its token table (section 3.4) and adds nothing, unless it is
    untied.

    Args:
        config: The sizes.
        pooler: Add BERT's pooler, see :class:`Architecture`.
        variants: Variants of newer models.

    Returns:
        Parameters by part, in the order of the forward pass. They sum to the model's size.
    """
    d_model = config.d_model
    norm = d_model * (1 if variants.rms_norm else 2)  # gain and bias
    attention = _attention(config, variants)
    crosses = isinstance(config, DecoderConfig) and config.cross_attention
    segments = config.n_segments if isinstance(config, EncoderConfig) else 0
    n_norms = config.n_layers * (3 if crosses else 2) + (config.norm == "pre")
    qk_norms = config.n_layers * 2 * config.d_head if variants.qk_norm else 0
    n_experts = variants.n_experts
    width = _width(config)
    untied = variants.untied and isinstance(config, DecoderConfig)
    parts = {
        "token embedding": config.vocab_size * width
        + (width * d_model if config.d_embedding else 0),
        "positions": config.max_len * d_model if config.positions == "learned" else 0,
        "relative positions": variants.n_buckets * config.n_heads,
        "segments": segments * d_model,
        "embedding norm": norm if config.embedding_norm else 0,
        "attention": config.n_layers * attention,
        "cross-attention": config.n_layers * attention if crosses else 0,
        "feed-forward": config.n_layers * n_experts * _feed_forward(config, variants),
        "router": config.n_layers * d_model * n_experts if n_experts > 1 else 0,
        "layer norms": n_norms * norm + qk_norms,
        "pooler": d_model * d_model + d_model if pooler else 0,
        "output": width * config.vocab_size if untied else 0,
    }
    return {part: count for part, count in parts.items() if count}


def _attention(config: StackConfig, variants: Variants) -> int:
    """W^Q W^K W^V W^O, with their biases."""
    d_model, queries, keys = config.d_model, *_joined(config, variants)
    matrices = 2 * d_model * queries + 2 * d_model * keys
    of_qkv = queries + 2 * keys
    return matrices + {"all": of_qkv + d_model, "qkv": of_qkv, "none": 0}[variants.biases]


def _joined(config: StackConfig, variants: Variants) -> tuple[int, int]:
    """Width of all queries, and of all keys, side by side: H K and G K."""
    return (
        config.n_heads * config.d_head,
        (variants.n_key_heads or config.n_heads) * config.d_head,
    )


def _feed_forward(config: StackConfig, variants: Variants) -> int:
    """Both matrices, and the gate's, with their biases."""
    inner = 2 if variants.gated else 1
    biases = inner * config.d_ff + config.d_model if variants.biases == "all" else 0
    return (inner + 1) * config.d_model * config.d_ff + biases


def parameters(architecture: Architecture) -> Costs:
    """Count the parameters of each stack by part; they sum to the model's size.

    Args:
        architecture: The sizes.
    """
    counts = {
        name: parameter_counts(
            config,
            pooler=architecture.pooler and name == "encoder",
            variants=architecture.variants,
        )
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

    Raises:
        HeadlightError: If it has variants that our layers lack.
    """
    if architecture.variants != PLAIN:
        raise HeadlightError(
            "Our own layers lack the variants of newer models, so this model cannot be built here."
        )
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
    fewer. An M x N matrix costs 2 M N for a token. In each layer, attention to n tokens costs
    2 n H K for the scores q . k and 2 n H K for the sum of the values; H K is mostly d. The keys
    and values of cross-attention are computed once for each source token, and are counted with the
    encoder.

    Args:
        architecture: The sizes.
        n_tokens: Number of tokens that each token attends to in its own stack; in a decoder, for
            the last token.
        n_source: Tokens of the source. The cross-attention of the decoder attends to them, and in
            an encoder-decoder the tokens of the encoder too.
    """
    costs: Costs = {}
    decoder, variants = architecture.decoder, architecture.variants
    matrices = 3 if variants.gated else 2
    for name, config in architecture.stacks.items():
        d, layers = config.d_model, config.n_layers
        queries, keys = _joined(config, variants)
        n_keys = n_source if name == "encoder" and decoder is not None else n_tokens
        widening = 2 * config.d_embedding * d if config.d_embedding else 0
        parts = {
            "token embedding": widening,
            "attention": layers * 2 * 2 * d * (queries + keys),  # W^Q W^O, W^K W^V
            # q . k, and the sum of the values
            "attention products": layers * 2 * 2 * n_keys * queries,
        }
        if name == "decoder" and architecture.encoder is not None:
            parts["cross-attention"] = layers * 2 * 2 * d * queries  # W^Q W^O
            parts["cross-attention products"] = layers * 2 * 2 * n_source * queries
        parts["feed-forward"] = layers * variants.n_active * 2 * matrices * d * config.d_ff
        if variants.n_experts > 1:
            parts["router"] = layers * 2 * d * variants.n_experts
        if name == "encoder" and decoder is not None:
            memory = _joined(decoder, variants)[1]
            parts["cross-attention memory"] = decoder.n_layers * 2 * 2 * d * memory  # W^K W^V
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
    """Count the numbers in a decoder's key/value cache: 2 L n G K for each attention.

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
    each = 2 * decoder.n_layers * _joined(decoder, architecture.variants)[1]
    cached = {"attention": each * n_tokens}
    if decoder.cross_attention:
        cached["cross-attention"] = each * n_source
    return cached
