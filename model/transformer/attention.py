"""Scaled dot-product and multi-head attention, from scratch (Vaswani et al. 2017, section 3.2).

Axes: B batch, T tokens (Tq queries, Tk keys), H n_heads, D d_model, K d_head. A mask is boolean and
True where attention is ALLOWED, everywhere in this project.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.errors import HeadlightError


@dataclass(frozen=True, slots=True)
class AttentionSteps:
    """All intermediate values of eq. 1, so that a reader can trace a number from q and k on.

    Attributes:
        raw_scores: ``q @ k^T``, (..., Tq, Tk).
        scaled_scores: ``raw_scores * scale``, plus a bias if there is one, (..., Tq, Tk).
        masked_scores: ``scaled_scores`` with -inf where attention is not allowed, (..., Tq, Tk).
        weights: softmax over the keys, before dropout: rows sum to 1, (..., Tq, Tk).
        context: ``weights @ v``, the result of one head, (..., Tq, Kv).
    """

    raw_scores: Tensor
    scaled_scores: Tensor
    masked_scores: Tensor
    weights: Tensor
    context: Tensor

    @property
    def output(self) -> Tensor:
        """The context, by its name in notebooks. Elsewhere, output is the result of W^O."""
        return self.context


def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    *,
    scale: float | None = None,
    bias: Tensor | None = None,
    dropout: float = 0.0,
) -> AttentionSteps:
    """Compute softmax(q k^T / sqrt(d_k)) v and keep every step (Vaswani et al. 2017, eq. 1).

    Args:
        q: Queries, (..., Tq, K).
        k: Keys, (..., Tk, K).
        v: Values, (..., Tk, Kv).
        mask: Boolean, True where attention is allowed, broadcastable to (..., Tq, Tk).
        scale: Factor on the raw scores; 1 / sqrt(d_k) unless given.
        bias: Added to the scaled scores, broadcastable to (..., Tq, Tk): T5's, ALiBi's.
        dropout: Probability of dropping a weight, in training only. ``steps.weights`` is taken
            before it, so its rows always sum to 1.

    Raises:
        HeadlightError: If the sizes do not multiply, the mask is not boolean, or a query has no
            allowed key (its softmax would be 0/0).
    """
    _check_sizes(q, k, v)
    raw_scores = q @ k.transpose(-2, -1)  # (..., Tq, K) @ (..., K, Tk) -> (..., Tq, Tk)
    # Unit-variance q and k give scores of variance d_k; dividing by sqrt(d_k) keeps the softmax
    # away from saturation, where its gradient vanishes (section 3.2.1).
    scaled_scores = raw_scores * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if bias is not None:
        scaled_scores = scaled_scores + bias
    masked_scores = scaled_scores if mask is None else _apply_mask(scaled_scores, mask)
    weights = masked_scores.softmax(dim=-1)  # over keys; torch subtracts the row's maximum first
    dropped = nn.functional.dropout(weights, dropout) if dropout else weights
    context = dropped @ v  # (..., Tq, Tk) @ (..., Tk, Kv) -> (..., Tq, Kv)
    return AttentionSteps(raw_scores, scaled_scores, masked_scores, weights, context)


def _check_sizes(q: Tensor, k: Tensor, v: Tensor) -> None:
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise HeadlightError(
            "Queries have {q} dimensions and keys have {k}. Both need the same number, at least 1.",
            q=q.shape[-1],
            k=k.shape[-1],
        )
    if k.shape[-2] != v.shape[-2]:
        raise HeadlightError(
            "There are {k} keys but {v} values. Every key needs exactly one value.",
            k=k.shape[-2],
            v=v.shape[-2],
        )


def _apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype != torch.bool:
        raise HeadlightError("A mask must be boolean, with True where attention is allowed.")
    if not mask.any(dim=-1).all():
        raise HeadlightError("The mask hides every key from a query. Allow at least one key.")
    # -inf rather than a large negative number: masked weights are exactly 0 in every dtype.
    return scores.masked_fill(~mask, -math.inf)


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """Allow real tokens as keys, not padding: (B,) lengths -> boolean (B, 1, 1, T)."""
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]  # (B, T) -> (B, 1, 1, T)


def causal_mask(n_tokens: int) -> Tensor:
    """Allow each token to see itself and those before it: boolean (T, T), lower triangle True."""
    return torch.ones(n_tokens, n_tokens, dtype=torch.bool).tril()


@dataclass
class KeyValueCache:
    """Key/value cache of one attention module: its own tokens, or the source of cross-attention.

    Attributes:
        held: The keys and the values, (B, H, Tk, K) each; None while the cache is empty.
    """

    held: tuple[Tensor, Tensor] | None = None

    @property
    def n_tokens(self) -> int:
        """Number of cached keys, Tk."""
        return 0 if self.held is None else self.held[0].shape[2]

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append keys and values, (B, H, T, K); return all cached, (B, H, Tk + T, K) each."""
        if self.held is not None:
            keys = torch.cat((self.held[0], keys), dim=2)
            values = torch.cat((self.held[1], values), dim=2)
        self.held = keys, values
        return self.held

    def select(self, rows: Tensor) -> None:
        """Select rows of the batch, (B',), in their new order. An index may appear twice."""
        if self.held is not None:
            self.held = self.held[0][rows], self.held[1][rows]


class MultiHeadAttention(nn.Module):
    """Concat(head_1, ..., head_H) W^O (Vaswani et al. 2017, section 3.2.2).

    ``forward`` returns ``(output, weights)`` like the attention modules of transformers.

    Args:
        d_head: K; None: D / H, which must be a whole number.
    """

    def __init__(
        self, d_model: int, n_heads: int, dropout: float = 0.0, d_head: int | None = None
    ) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.dropout = dropout
        joined = d_model if d_head is None else n_heads * d_head  # H*K
        self.query = nn.Linear(d_model, joined)  # W^Q of all heads side by side
        self.key = nn.Linear(d_model, joined)
        self.value = nn.Linear(d_model, joined)
        self.output = nn.Linear(joined, d_model)  # W^O

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        memory: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Let every token of x attend to every allowed token of x, or of the memory.

        Args:
            x: Source of the queries, (B, Tq, D).
            mask: Boolean, True where allowed, broadcastable to (B, H, Tq, Tk).
            memory: Source of keys and values in cross-attention, (B, Tk, D): the encoder's output
                (section 3.2.3). None: x.
            cache: Keys and values of earlier calls. Without a memory, the call appends the keys and
                values of x, and Tk counts all cached keys. With a memory, the first call fills the
                cache and later calls do not read the memory.

        Returns:
            The output (B, Tq, D) and the weights (B, H, Tq, Tk), taken before dropout.
        """
        queries = self._split_heads(self.query(x))
        keys, values = self._keys_and_values(x, memory, cache)
        steps = scaled_dot_product_attention(
            queries, keys, values, mask, dropout=self.dropout if self.training else 0.0
        )
        concatenated = steps.context.transpose(1, 2).flatten(2)  # (B, H, Tq, K) -> (B, Tq, H*K)
        return self.output(concatenated), steps.weights

    def _keys_and_values(
        self, x: Tensor, memory: Tensor | None, cache: KeyValueCache | None
    ) -> tuple[Tensor, Tensor]:
        if memory is not None and cache is not None and cache.held is not None:
            return cache.held
        source = x if memory is None else memory
        keys = self._split_heads(self.key(source))
        values = self._split_heads(self.value(source))
        return (keys, values) if cache is None else cache.extend(keys, values)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, T, H*K) -> (B, H, T, K)
