"""The whole Transformer (Vaswani et al. 2017, figure 1): encoder, and decoder with cross-attention.

Axes: B batch, Ts source tokens, Tt target tokens, D d_model, V the target's vocab_size.
"""

import torch
from torch import Tensor, nn

from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.decoder import Decoder, DecoderCache
from model.transformer.encoder import Encoder, initialise_linear


class EncoderDecoder(nn.Module):
    """Reads a source and predicts a target. Each side has its own vocabulary.

    Raises a HeadlightError if the decoder has no cross-attention, or the widths differ.
    """

    def __init__(self, encoder: EncoderConfig, decoder: DecoderConfig) -> None:
        super().__init__()
        if not decoder.cross_attention:
            raise HeadlightError("The decoder of an encoder-decoder needs cross-attention.")
        if encoder.d_model != decoder.d_model:
            raise HeadlightError(
                "The decoder reads the output of the encoder, so both need the same d_model, not "
                "{encoder} and {decoder}.",
                encoder=encoder.d_model,
                decoder=decoder.d_model,
            )
        self.encoder = Encoder(encoder)
        self.decoder = Decoder(decoder)

    def encode(self, source_ids: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """Encode the source: (B, Ts) -> (B, Ts, D), the memory of the decoder."""
        return self.encoder(source_ids, mask=source_mask)

    def decode(
        self,
        target_ids: Tensor,
        memory: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Compute the logits of the token after each target token: (B, Tt) -> (B, Tt, V).

        Args:
            target_ids: (B, Tt). With a cache, only the tokens that are not in it.
            memory: Output of :meth:`encode`, (B, Ts, D).
            target_mask: Narrows the causal mask, as in :meth:`Decoder.forward`.
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
        """Compute the logits of the token after each target token, given the source: (B, Tt, V)."""
        memory = self.encode(source_ids, source_mask)
        return self.decode(target_ids, memory, source_mask, target_mask)

    def initialise(self, generator: torch.Generator) -> None:
        """Initialise for training: linear maps by Xavier, token rows with a norm of about 1."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                initialise_linear(module, generator)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=module.embedding_dim**-0.5, generator=generator)
