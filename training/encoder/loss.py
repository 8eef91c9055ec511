"""Masked-language modelling (Devlin et al. 2018, section 3.1): tokens to predict, and their loss.

The loss is over a sample of the vocabulary or all of it.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.transformer.language_model import MaskedLanguageModel

MASKED, RANDOM = 0.8, 0.1
"""Shares of chosen tokens that become [MASK] or a random token. The others do not change."""


def mask_tokens(
    ids: Tensor,
    share: float,
    mask_id: int,
    vocab_size: int,
    generator: torch.Generator,
    *,
    always_mask: bool = False,
) -> tuple[Tensor, Tensor]:
    """Choose tokens of (B, T), at least one, and mask them: the new ids, and the choice (B, T).

    The first and the last of each row are special and never chosen. ``always_mask``: every chosen
    token becomes ``[MASK]``, as in the evaluation.
    """
    drawn = torch.rand(ids.shape, generator=generator)
    drawn[:, 0] = drawn[:, -1] = 2.0  # [CLS] and [SEP] are never chosen
    chosen = drawn < share
    if not chosen.any():
        chosen = drawn == drawn.min()
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(vocab_size, ids.shape, generator=generator)
    corrupted = ids.clone()
    hidden = chosen if always_mask else chosen & (fate < MASKED)
    corrupted[hidden] = mask_id
    if not always_mask:
        replaced = chosen & (fate >= MASKED) & (fate < MASKED + RANDOM)
        corrupted[replaced] = others[replaced]
    return corrupted, chosen


@dataclass(frozen=True)
class Sample:
    """A sample of the vocabulary for the softmax (Jean et al. 2015, section 3).

    Each of the ``ids``, (K,), represents itself, if it is ``certain``, (C,) sorted, or several ids,
    from which it is drawn: ``weight``, (K,), adds the logarithm of their number to its logit.
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
        """Draw ``negatives`` ids beside the targets (M,) and common ids (None: the vocabulary)."""
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
    """Cross-entropy in nats, (M,), of states (M, D) and targets (M,) over a sample."""
    tokens = model.encoder.embeddings.token
    table = nn.functional.embedding(sample.ids, tokens.weight, sparse=tokens.sparse)  # (K, E)
    logits = (model.features(hidden) @ table.T + model.bias[sample.ids]).float()  # (M, K)
    places = torch.searchsorted(sample.certain, targets)
    return nn.functional.cross_entropy(logits + sample.weight, places, reduction="none")
