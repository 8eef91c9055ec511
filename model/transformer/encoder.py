"""The Transformer encoder, from scratch (Vaswani et al. 2017, section 3.1, left half of figure 1).

Axes: B batch, T tokens, D d_model, E width of the token table, F d_ff.
"""

import math

import torch
from torch import Tensor, nn

from model.errors import HeadlightError
from model.transformer.attention import MultiHeadAttention
from model.transformer.config import EncoderConfig, StackConfig
from model.transformer.positions import sinusoidal_encoding

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU}


class Embeddings(nn.Module):
    """Sum of token, position and segment embeddings (sections 3.4 and 3.5; BERT, figure 2)."""

    sinusoids: Tensor | None

    def __init__(self, config: StackConfig, n_segments: int = 0) -> None:
        super().__init__()
        width = config.d_embedding or config.d_model
        self.token = nn.Embedding(config.vocab_size, width)
        self.widen: nn.Linear | None = None
        if config.d_embedding:
            self.widen = nn.Linear(width, config.d_model, bias=False)
        # Section 3.4 multiplies embeddings by sqrt(d_model), so that sinusoids of size 1 do not
        # dominate them. BERT does not: it learns the size of its positions.
        self.scale = 1.0 if config.positions == "learned" else math.sqrt(config.d_model)
        nn.init.normal_(self.token.weight, std=width**-0.5)
        self.position: nn.Embedding | None = None
        if config.positions == "learned":
            self.position = nn.Embedding(config.max_len, config.d_model)
        table = None
        if config.positions == "sinusoidal":
            table = sinusoidal_encoding(config.max_len, config.d_model)
        self.register_buffer("sinusoids", table, persistent=False)  # a formula, not a weight
        self.segment = nn.Embedding(n_segments, config.d_model) if n_segments else None
        self.norm = layer_norm(config, config.embedding_norm)
        self.dropout = nn.Dropout(config.dropout)

    @property
    def position_table(self) -> Tensor | None:
        """Position encodings, (max_len, D): learned or sinusoids; None without positions."""
        return self.sinusoids if self.position is None else self.position.weight

    def forward(
        self,
        token_ids: Tensor,
        segment_ids: Tensor | None = None,
        position_scale: float = 1.0,
        start: int = 0,
    ) -> Tensor:
        """Embed token ids: (B, T) -> (B, T, D).

        Args:
            segment_ids: (B, T); zeros unless given. Ignored without a segment table.
            start: Position of the first token; in a decoder, the number of tokens read before.
        """
        end = start + token_ids.shape[1]
        x = self.token(token_ids)  # (B, T) -> (B, T, width of the table)
        if self.widen is not None:
            x = self.widen(x)  # (B, T, E) -> (B, T, D)
        if self.scale != 1.0:
            x = x * self.scale
        if self.segment is not None:
            if segment_ids is None:
                segment_ids = torch.zeros_like(token_ids)
            x = x + self.segment(segment_ids)
        if (table := self.position_table) is not None:
            x = x + position_scale * table[start:end]  # (T, D), the same for every sentence
        return self.dropout(self.norm(x))


def initialise_linear(linear: nn.Linear, generator: torch.Generator) -> None:
    """Initialise a map for training: Xavier weights, no bias."""
    nn.init.xavier_uniform_(linear.weight, generator=generator)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def layer_norm(config: StackConfig, present: bool = True) -> nn.Module:
    """Make a LayerNorm, or a module in its place that changes nothing."""
    return nn.LayerNorm(config.d_model, config.norm_eps) if present else nn.Identity()


def new_attention(config: StackConfig) -> MultiHeadAttention:
    """Make the attention of a layer."""
    return MultiHeadAttention(config.d_model, config.n_heads, config.dropout, config.d_head)


class FeedForward(nn.Module):
    """FFN(x) = activation(x W_1 + b_1) W_2 + b_2, applied to each position (eq. 2)."""

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.activation = ACTIVATIONS[config.activation]()
        self.contract = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) -> (B, T, F) -> (B, T, D)."""
        return self.contract(self.activation(self.expand(x)))


class EncoderLayer(nn.Module):
    """Attention, then feed-forward, each with a residual connection and a LayerNorm.

    Post-norm is LayerNorm(x + Sublayer(x)) (section 3.1). Pre-norm is x + Sublayer(LayerNorm(x))
    (Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", figure 1b).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = new_attention(config)
        self.attention_norm = layer_norm(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Map (B, T, D) to (B, T, D); the mask is broadcastable to (B, H, T, T)."""
        if self.pre_norm:
            x = x + self.dropout(self.attention(self.attention_norm(x), mask)[0])
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(x + self.dropout(self.attention(x, mask)[0]))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class Encoder(nn.Module):
    """Embeddings and a stack of ``n_layers`` encoder layers.

    A pre-norm stack ends with another LayerNorm, because nothing else normalises its last sum
    (Xiong et al. 2020).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config, config.n_segments)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_layers))
        self.final_norm = layer_norm(config, config.norm == "pre")

    def forward(
        self,
        token_ids: Tensor,
        segment_ids: Tensor | None = None,
        mask: Tensor | None = None,
        position_scale: float = 1.0,
    ) -> Tensor:
        """Encode sentences: the hidden states of the last layer, (B, T, D).

        Args:
            token_ids: (B, T). More than ``max_len`` tokens raise a HeadlightError.
            segment_ids: (B, T), 0 for sentence A and 1 for B; ignored by models without segments.
            mask: Boolean, True where attention is allowed, broadcastable to (B, H, T, T); see
                :mod:`model.transformer.attention`, ``padding_mask`` and ``causal_mask``.
            position_scale: Factor on the position encodings. With 0 the order has no effect.
        """
        if token_ids.shape[1] > self.config.max_len:
            raise HeadlightError(
                "The text has {n_tokens} tokens. The encoder reads at most {max_len}.",
                n_tokens=token_ids.shape[1],
                max_len=self.config.max_len,
            )
        x = self.embeddings(token_ids, segment_ids, position_scale)
        for layer in self.layers:
            x = layer(x, mask)
        return self.final_norm(x)
