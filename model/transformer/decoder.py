"""The Transformer decoder, from scratch (Vaswani et al. 2017, section 3.1, right half of figure 1).

Axes: B batch, Tt target tokens, Ts source tokens, D d_model, E width of the token table.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor, nn

from model.errors import HeadlightError
from model.transformer.attention import KeyValueCache, MultiHeadAttention, causal_mask
from model.transformer.config import DecoderConfig
from model.transformer.encoder import Embeddings, FeedForward


@dataclass
class LayerCache:
    """Keys and values of one layer: of the tokens read so far, and of the source."""

    attention: KeyValueCache = field(default_factory=KeyValueCache)
    cross_attention: KeyValueCache = field(default_factory=KeyValueCache)


class DecoderCache:
    """What a decoder need not compute again from one token to the next; made for one generation."""

    def __init__(self, n_layers: int) -> None:
        self.layers = [LayerCache() for _ in range(n_layers)]

    @property
    def n_tokens(self) -> int:
        """How many tokens were read."""
        return self.layers[0].attention.n_tokens

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order; a row may come twice."""
        for layer in self.layers:
            layer.attention.select(rows)
            layer.cross_attention.select(rows)


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the source, feed-forward, each with Add & Norm.

    Post- and pre-norm as in :class:`~model.transformer.encoder.EncoderLayer`. Without
    cross-attention it is a layer of a language model, such as GPT-2's.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = MultiHeadAttention(config.d_model, config.n_heads, config.dropout)
        self.attention_norm = nn.LayerNorm(config.d_model, config.norm_eps)
        self.cross_attention: MultiHeadAttention | None = None
        if config.cross_attention:
            self.cross_attention = MultiHeadAttention(
                config.d_model, config.n_heads, config.dropout
            )
            self.cross_attention_norm = nn.LayerNorm(config.d_model, config.norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, config.norm_eps)
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
            x: (B, Tt, D).
            memory: What the encoder put out, (B, Ts, D); None only without cross-attention.
            mask: Of the self-attention, (..., Tt, tokens read so far): here nothing is causal
                unless this mask is. :class:`Decoder` sees to it.
            memory_mask: Of the cross-attention, broadcastable to (B, H, Tt, Ts).
            cache: This layer's keys and values of earlier calls.
        """
        own = None if cache is None else cache.attention
        x = self._add_and_norm(
            x, self.attention_norm, lambda y: self.attention(y, mask=mask, cache=own)[0]
        )
        if (cross := self.cross_attention) is not None:
            of_source = None if cache is None else cache.cross_attention
            x = self._add_and_norm(
                x,
                self.cross_attention_norm,
                lambda y: cross(y, mask=memory_mask, memory=memory, cache=of_source)[0],
            )
        return self._add_and_norm(x, self.feed_forward_norm, self.feed_forward)

    def _add_and_norm(
        self, x: Tensor, norm: nn.Module, sublayer: Callable[[Tensor], Tensor]
    ) -> Tensor:
        if self.pre_norm:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))


class Decoder(nn.Module):
    """Embeddings and a stack of ``n_layers`` decoder layers, each token blind to what follows it.

    With ``cross_attention=False`` it stands alone, as a language model. A pre-norm stack ends in
    one more LayerNorm, as the encoder's does.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_layers))
        self.final_norm = (
            nn.LayerNorm(config.d_model, config.norm_eps) if config.norm == "pre" else nn.Identity()
        )

    def forward(
        self,
        token_ids: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Read target tokens, of which each sees itself and what came before.

        Args:
            token_ids: (B, Tt); with a cache, only those that it has not read. Together with those
                that it has, at most ``max_len``.
            memory: What the encoder put out, (B, Ts, D), for a decoder with cross-attention.
            mask: Boolean, True where attention is allowed, broadcastable to (B, H, Tt, Tk), Tk the
                tokens read so far, these included. It narrows the causal mask and cannot widen it:
                a token attends where both allow it.
            memory_mask: Of the source's tokens, broadcastable to (B, H, Tt, Ts), as
                :func:`~model.transformer.attention.padding_mask` gives it.
            cache: Of the calls before this one; it grows by these tokens. Positions go on from it.

        Returns:
            The hidden states of the last layer, (B, Tt, D).

        Raises:
            HeadlightError: If there are more than ``max_len`` tokens, or a memory is missing or
                not asked for.
        """
        if (memory is not None) != self.config.cross_attention:
            raise HeadlightError(
                "A decoder with cross-attention needs what an encoder put out (memory), and one "
                "without takes none."
            )
        start = 0 if cache is None else cache.n_tokens
        end = start + token_ids.shape[1]
        if end > self.config.max_len:
            raise HeadlightError(
                "{n_tokens} tokens are more than the decoder's {max_len} positions.",
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
        """How likely each token comes next, before softmax: (..., D) -> (..., vocab_size).

        The token table of the way in, transposed: "we share the same weight matrix between the two
        embedding layers and the pre-softmax linear transformation" (section 3.4).
        """
        if self.embeddings.widen is not None:
            hidden = hidden @ self.embeddings.widen.weight  # (..., D) @ (D, E) -> (..., E)
        return hidden @ self.embeddings.token.weight.T  # (..., E) @ (E, vocab_size)

    def new_cache(self) -> DecoderCache:
        """An empty cache, for the tokens of one generation."""
        return DecoderCache(self.config.n_layers)
