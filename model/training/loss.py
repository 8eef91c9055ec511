"""Cross-entropy of masked tokens, over a sample of the vocabulary or all of it."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.transformer.language_model import MaskedLanguageModel


@dataclass(frozen=True)
class Sample:
    """The part of the vocabulary that a softmax compares.

    It holds tokens that each stand for themselves, the targets among them, and some of the others
    drawn evenly, each standing for many: their logits grow by the log of how many (the
    importance-sampled softmax of Jean et al. 2015, section 3).

    Attributes:
        certain: Ids that stand for themselves, sorted, (C,).
        ids: Those, then the drawn ones, (K,).
        weight: What is added to each logit, (K,).
    """

    certain: Tensor
    ids: Tensor
    weight: Tensor

    @classmethod
    def around(
        cls,
        targets: Tensor,
        common: Tensor | None,
        negatives: int,
        vocab_size: int,
        generator: torch.Generator,
    ) -> "Sample":
        """Draw one.

        Args:
            targets: Ids that must be in it, (M,).
            common: Ids that are always compared, (C,); None for the whole vocabulary.
            negatives: How many others to draw.
            vocab_size: Of what.
            generator: Of the draw.
        """
        if common is None:
            everything = torch.arange(vocab_size, device=targets.device)
            return cls(everything, everything, torch.zeros(vocab_size, device=targets.device))
        certain = torch.cat((common, targets)).unique()  # sorts
        drawn = torch.randint(vocab_size, (negatives,), generator=generator)
        drawn = drawn.to(targets.device).unique()
        rare = drawn[~torch.isin(drawn, certain)]
        weight = torch.zeros(len(certain) + len(rare), device=targets.device)
        if len(rare):
            weight[len(certain) :] = math.log((vocab_size - len(certain)) / len(rare))
        return cls(certain, torch.cat((certain, rare)), weight)


def losses_on(
    model: MaskedLanguageModel, hidden: Tensor, targets: Tensor, sample: Sample
) -> Tensor:
    """Cross-entropy of masked tokens, each against a sample of the vocabulary.

    Args:
        model: Its head.
        hidden: Of the masked tokens, (M, D).
        targets: What stood there, (M,); all of them certain in the sample.
        sample: What they are compared with.

    Returns:
        One loss in nats for each, (M,).
    """
    tokens = model.encoder.embeddings.token
    table = nn.functional.embedding(sample.ids, tokens.weight, sparse=tokens.sparse)  # (K, E)
    logits = (model.features(hidden) @ table.T + model.bias[sample.ids]).float()  # (M, K)
    places = torch.searchsorted(sample.certain, targets)
    return nn.functional.cross_entropy(logits + sample.weight, places, reduction="none")
