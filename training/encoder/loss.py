"""Cross-entropy of masked tokens, over a sample of the vocabulary or all of it."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.transformer.language_model import MaskedLanguageModel


@dataclass(frozen=True)
class Sample:
    """A sample of the vocabulary for the softmax.

    It contains all targets, other certain ids, and ids drawn uniformly from the rest. Each drawn id
    represents several ids, and the logarithm of their number is added to its logit (the
    importance-sampled softmax of Jean et al. 2015, section 3).

    Attributes:
        certain: Ids that represent only themselves, sorted, (C,).
        ids: The certain ids, then the drawn ids, (K,).
        weight: Addend of each logit, (K,).
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
        """Draw a sample that contains the targets.

        Args:
            targets: Ids of the targets, (M,).
            common: Ids that every sample contains, (C,). None takes the whole vocabulary.
            negatives: Number of ids to draw. Duplicates and certain ids are dropped.
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
    """Cross-entropy of masked tokens over a sample of the vocabulary.

    Args:
        hidden: Hidden states of the masked tokens, (M, D).
        targets: Original ids of the masked tokens, (M,). The sample must contain them as certain.

    Returns:
        Loss of each masked token in nats, (M,).
    """
    tokens = model.encoder.embeddings.token
    table = nn.functional.embedding(sample.ids, tokens.weight, sparse=tokens.sparse)  # (K, E)
    logits = (model.features(hidden) @ table.T + model.bias[sample.ids]).float()  # (M, K)
    places = torch.searchsorted(sample.certain, targets)
    return nn.functional.cross_entropy(logits + sample.weight, places, reduction="none")
