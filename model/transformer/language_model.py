"""Our encoder with a masked-language head, as BERT's: transform, norm, the token table again."""

import torch
from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention
from model.transformer.config import EncoderConfig
from model.transformer.encoder import Encoder, FeedForward


class MaskedLanguageModel(nn.Module):
    """Predicts tokens from hidden states (Devlin et al. 2018; the output table is the input's)."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        width = config.d_embedding or config.d_model
        self.transform = nn.Linear(config.d_model, width)
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(width, config.norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def features(self, hidden: Tensor) -> Tensor:
        """Hidden states (..., D) as vectors to compare with the token table, (..., E)."""
        return self.norm(self.activation(self.transform(hidden)))

    def logits(self, hidden: Tensor) -> Tensor:
        """(..., D) -> (..., vocab_size)."""
        table = self.encoder.embeddings.token.weight  # (vocab_size, E)
        return self.features(hidden) @ table.T + self.bias

    def forward(self, token_ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        """(B, T) -> (B, T, vocab_size)."""
        return self.logits(self.encoder(token_ids, segment_ids))

    def initialise(
        self, counts: Tensor, generator: torch.Generator, vectors: Tensor | None = None
    ) -> None:
        """Begin where learning is quick.

        Xavier for the linear maps; what is added to the residual stream shrinks with depth,
        (8L)^-1/4, which keeps a post-norm stack trainable without a long warm-up (Wang et al. 2022,
        "DeepNet", table 2, encoder). The bias begins at the log-frequency of each token, so that
        the first steps are not spent on learning how common words are.

        Args:
            counts: How often each token occurs in the corpus, (vocab_size,).
            generator: Of the random numbers.
            vectors: Where the token table begins, (vocab_size, E) of length 1; rows of 0, and all
                of them if there are none, begin at random.
        """
        config = self.encoder.config
        width = config.d_embedding or config.d_model
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight, generator=generator)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        table = self.encoder.embeddings.token.weight  # (vocab_size, E)
        nn.init.normal_(table, std=width**-0.5, generator=generator)  # rows of length about 1
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
