"""The Transformer decoder, from scratch (Vaswani et al. 2017, section 3.1, right half of figure 1).

Axes: B batch, Tt target tokens, Ts source tokens, D d_model, E width of the token table.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor, nn

from model.errors import HeadlightError
from model.transformer.attention import KeyValueCache, causal_mask
from model.transformer.config import DecoderConfig
from model.transformer.encoder import Embeddings, FeedForward, layer_norm, new_attention


@dataclass
class LayerCache:
    """Key/value caches of one layer."""

    attention: KeyValueCache = field(default_factory=KeyValueCache)
    cross_attention: KeyValueCache = field(default_factory=KeyValueCache)


class DecoderCache:
    """Key/value caches of all layers, for one generation."""

    def __init__(self, n_layers: int) -> None:
        self.layers = [LayerCache() for _ in range(n_layers)]

    @property
    def n_tokens(self) -> int:
        """Number of target tokens read so far."""
        return self.layers[0].attention.n_tokens

    def select(self, rows: Tensor) -> None:
        """Select rows of the batch, in their new order. An index may appear twice."""
        for layer in self.layers:
            layer.attention.select(rows)
            layer.cross_attention.select(rows)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention and feed-forward, each with Add & Norm.

    Post- and pre-norm work as in :class:`~model.transformer.encoder.EncoderLayer`. Without
    cross-attention, this is a layer of a language model such as GPT-2.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = new_attention(config)
        self.attention_norm = layer_norm(config)
        self.cross_attention = new_attention(config) if config.cross_attention else None
        self.cross_attention_norm = layer_norm(config) if config.cross_attention else None
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Map (B, Tt, D) to (B, Tt, D).

        Args:
            memory: Output of the encoder, (B, Ts, D); None only without cross-attention.
            mask: Of the self-attention, broadcastable to (B, H, Tt, Tk), Tk tokens read so far. It
                must contain the causal mask, which :class:`Decoder` adds.
            memory_mask: Of the cross-attention, broadcastable to (B, H, Tt, Ts).
        """
        self_cache = None if cache is None else cache.attention
        x = self._add_and_norm(
            x, self.attention_norm, lambda y: self.attention(y, mask=mask, cache=self_cache)[0]
        )
        cross, cross_norm = self.cross_attention, self.cross_attention_norm
        if cross is not None and cross_norm is not None:
            cross_cache = None if cache is None else cache.cross_attention
            x = self._add_and_norm(
                x, cross_norm, lambda y: cross(y, memory_mask, memory, cross_cache)[0]
            )
        return self._add_and_norm(x, self.feed_forward_norm, self.feed_forward)

    def _add_and_norm(
        self, x: Tensor, norm: nn.Module, sublayer: Callable[[Tensor], Tensor]
    ) -> Tensor:
        if self.pre_norm:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))


class Decoder(nn.Module):
    """Embeddings and a stack of ``n_layers`` decoder layers with a causal mask.

    With ``cross_attention=False`` it is a language model without an encoder. A pre-norm stack ends
    with another LayerNorm, like the encoder.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_layers))
        self.final_norm = layer_norm(config, config.norm == "pre")

    def forward(
        self,
        token_ids: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Read target tokens; each sees itself and the tokens before it.

        Args:
            token_ids: (B, Tt). With a cache, only the tokens that are not in it; with them at most
                ``max_len``.
            memory: Output of the encoder, (B, Ts, D), for a decoder with cross-attention.
            mask: Boolean, True where attention is allowed, broadcastable to (B, H, Tt, Tk), Tk all
                tokens read so far. It narrows the causal mask.
            memory_mask: Of the source tokens, broadcastable to (B, H, Tt, Ts), see
                :func:`~model.transformer.attention.padding_mask`.
            cache: Keys and values of earlier calls. The call appends these tokens.

        Returns:
            The hidden states of the last layer, (B, Tt, D).

        Raises:
            HeadlightError: If there are more than ``max_len`` tokens, or a memory is missing or
                superfluous.
        """
        if (memory is not None) != self.config.cross_attention:
            raise HeadlightError(
                "A decoder needs the output of an encoder (memory) if and only if it has "
                "cross-attention."
            )
        start = 0 if cache is None else cache.n_tokens
        end = start + token_ids.shape[1]
        if end > self.config.max_len:
            raise HeadlightError(
                "The text has {n_tokens} tokens. The decoder reads at most {max_len}.",
                n_tokens=end,
                max_len=self.config.max_len,
            )
        causal = causal_mask(end)[start:].to(token_ids.device)  # (end, end) -> (Tt, end)
        allowed = causal if mask is None else causal & mask
        x = self.embeddings(token_ids, start=start)
        for i, layer in enumerate(self.layers):
            x = layer(x, memory, allowed, memory_mask, None if cache is None else cache.layers[i])
        return self.final_norm(x)

    def logits(self, hidden: Tensor) -> Tensor:
        """Compute the logits of the next token with the token table: (..., D) -> (..., vocab_size).

        "We share the same weight matrix between the two embedding layers and the pre-softmax linear
        transformation" (section 3.4).
        """
        if self.embeddings.widen is not None:
            hidden = hidden @ self.embeddings.widen.weight  # (..., D) @ (D, E) -> (..., E)
        table = self.embeddings.token.weight  # (vocab_size, E)
        return hidden @ table.T  # (..., E) @ (E, vocab_size) -> (..., vocab_size)

    def new_cache(self) -> DecoderCache:
        """Make an empty cache for one generation."""
        return DecoderCache(self.config.n_layers)
