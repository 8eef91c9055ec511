"""The whole Transformer (Vaswani et al. 2017, figure 1): encoder, and decoder that looks at it.

Axes: B batch, Ts source tokens, Tt target tokens, D d_model, V the target's vocab_size.
"""

import torch
from torch import Tensor, nn

from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.decoder import Decoder, DecoderCache
from model.transformer.encoder import Encoder


class EncoderDecoder(nn.Module):
    """Reads a source, writes a target. Each side has its own vocabulary.

    Raises:
        HeadlightError: If the two sides do not fit together.
    """

    def __init__(self, encoder: EncoderConfig, decoder: DecoderConfig) -> None:
        super().__init__()
        if not decoder.cross_attention:
            raise HeadlightError("The decoder of an encoder-decoder needs cross-attention.")
        if encoder.d_model != decoder.d_model:
            raise HeadlightError(
                "The decoder reads what the encoder put out, so both need the same d_model, not "
                "{encoder} and {decoder}.",
                encoder=encoder.d_model,
                decoder=decoder.d_model,
            )
        self.encoder = Encoder(encoder)
        self.decoder = Decoder(decoder)

    def encode(self, source_ids: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """Read the source: (B, Ts) -> (B, Ts, D), the memory.

        Args:
            source_ids: (B, Ts).
            source_mask: Boolean, True for real tokens, (B, 1, 1, Ts) as
                :func:`~model.transformer.attention.padding_mask` gives it.
        """
        return self.encoder(source_ids, mask=source_mask)

    def decode(
        self,
        target_ids: Tensor,
        memory: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Say what follows each target token: (B, Tt) -> logits (B, Tt, V).

        Args:
            target_ids: (B, Tt); with a cache, only those that it has not read.
            memory: What :meth:`encode` gave, (B, Ts, D).
            source_mask: The one that it was given, hiding the source's padding here too.
            target_mask: Narrows the causal mask, as in :meth:`Decoder.forward`.
            cache: Of the calls before this one, for this memory.
        """
        hidden = self.decoder(target_ids, memory, target_mask, source_mask, cache)
        return self.decoder.logits(hidden)

    def forward(
        self,
        source_ids: Tensor,
        target_ids: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
    ) -> Tensor:
        """Say what follows each target token, given the source: logits (B, Tt, V)."""
        memory = self.encode(source_ids, source_mask)
        return self.decode(target_ids, memory, source_mask, target_mask)

    def initialise(self, generator: torch.Generator) -> None:
        """Begin where learning is quick: Xavier for the linear maps, token rows of length about 1.

        Args:
            generator: Of the random numbers.
        """
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight, generator=generator)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=module.embedding_dim**-0.5, generator=generator)
