"""Choice of tokens for masked-language modelling (Devlin et al. 2018, section 3.1)."""

import torch
from torch import Tensor

from model.errors import HeadlightError

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
    """Choose tokens to predict, and mask them.

    Args:
        ids: Token ids, (B, T). The first and the last of each row are special tokens.
        share: Probability that a token is chosen. Special tokens are never chosen.
        mask_id: Id of ``[MASK]``.
        always_mask: Whether every chosen token becomes ``[MASK]``, as in the evaluation.

    Returns:
        The corrupted ids (B, T), and the boolean choice (B, T); at least one token is chosen.

    Raises:
        HeadlightError: If the share is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise HeadlightError("The share of masked tokens must be between 0 and 1.")
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
