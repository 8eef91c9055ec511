"""Our encoder with a masked-language head like BERT's: transform, norm, token table.

Axes: B batch, T tokens, D d_model, E width of the token table, V vocab_size.
"""

import torch
from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention
from model.transformer.config import EncoderConfig
from model.transformer.encoder import Encoder, FeedForward, initialise_linear


class MaskedLanguageModel(nn.Module):
    """Predicts masked tokens from hidden states (Devlin et al. 2018), with a tied token table."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        width = config.d_embedding or config.d_model
        self.transform = nn.Linear(config.d_model, width)
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(width, config.norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def features(self, hidden: Tensor) -> Tensor:
        """Project hidden states to the width of the token table: (..., D) -> (..., E)."""
        return self.norm(self.activation(self.transform(hidden)))

    def logits(self, hidden: Tensor) -> Tensor:
        """Compute logits over the vocabulary: (..., D) -> (..., V)."""
        table = self.encoder.embeddings.token.weight  # (V, E)
        return self.features(hidden) @ table.T + self.bias  # (..., E) @ (E, V) -> (..., V)

    def forward(self, token_ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        """Compute the logits of each token: (B, T) -> (B, T, V)."""
        return self.logits(self.encoder(token_ids, segment_ids))

    def initialise(
        self, counts: Tensor, generator: torch.Generator, vectors: Tensor | None = None
    ) -> None:
        """Initialise for training.

        Linear maps get Xavier weights. The maps that feed the residual stream are scaled down with
        depth, (8L)^-1/4, which makes a post-norm stack trainable without a long warm-up (Wang et
        al. 2022, "DeepNet", table 2, encoder). The bias starts at the log-frequency of each token.

        Args:
            vectors: Initial token table, (V, E), rows of norm 1. Rows of zeros, or all rows if
                None, are random.
        """
        config = self.encoder.config
        width = config.d_embedding or config.d_model
        for module in self.modules():
            if isinstance(module, nn.Linear):
                initialise_linear(module, generator)
        table = self.encoder.embeddings.token.weight  # (V, E)
        nn.init.normal_(table, std=width**-0.5, generator=generator)  # rows of norm about 1
        shrink = (8 * config.n_layers) ** -0.25
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, MultiHeadAttention):
                    module.value.weight.mul_(shrink)
                    module.output.weight.mul_(shrink)
                elif isinstance(module, FeedForward):
                    module.expand.weight.mul_(shrink)
                    module.contract.weight.mul_(shrink)
            if vectors is not None:
                known = vectors.any(dim=1)
                table[known] = vectors[known]
            self.bias.copy_(((counts + 1) / (counts.sum() + len(counts))).log())
