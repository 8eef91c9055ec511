"""Measurements of a language model: accuracy on masked tokens, attention of its heads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from model.analysis.weight_statistics import share_at_offset, share_on
from model.capture.attention_hooks import record_attention
from model.catalogue.loaded_model import LoadedModel
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.masking import mask_tokens


@dataclass(frozen=True)
class Accuracy:
    """How well masked tokens are predicted.

    Attributes:
        loss: Mean cross-entropy in nats, over the whole vocabulary.
    """

    loss: float
    top1: float
    top5: float
    count: int


@torch.inference_mode()
def measure(
    model: MaskedLanguageModel, rows: Iterator[Tensor], mask_id: int, seed: int = 0
) -> Accuracy:
    """Replace 15 % of the tokens of each row with [MASK], and predict them.

    Args:
        model: The model. Its training mode does not change.
        rows: Token ids of sequences with special tokens, (T,) each.
        mask_id: Id of ``[MASK]``.
    """
    training = model.training
    model.eval()
    generator = torch.Generator().manual_seed(seed)
    device = model.bias.device
    losses, first, five = [], [], []
    for row in rows:
        corrupted, chosen = mask_tokens(
            row[None], 0.15, mask_id, len(model.bias), generator, always_mask=True
        )
        hidden = model.encoder(corrupted.to(device))[0][chosen[0].to(device)]
        logits = model.logits(hidden).float()
        targets = row[chosen[0]].to(device)
        losses.append(nn.functional.cross_entropy(logits, targets, reduction="none").cpu())
        hits = logits.topk(5).indices == targets[:, None]
        first.append(hits[:, 0].cpu())
        five.append(hits.any(1).cpu())
    model.train(training)
    loss, top1, top5 = (torch.cat(parts).float() for parts in (losses, first, five))
    return Accuracy(loss.mean().item(), top1.mean().item(), top5.mean().item(), len(loss))


def offset_shares(
    model: LoadedModel, rows: Sequence[Tensor], offsets: Sequence[int]
) -> list[np.ndarray]:
    """Mean attention of every head to the token at each offset, over all tokens of passages.

    Args:
        rows: Token ids of passages with special tokens, which are not counted, (T,) each.
        offsets: Offsets in tokens: -1 is the previous token, 1 the next.

    Returns:
        Mean attention for each offset, float64, (L, H).
    """
    shares = []  # of each passage (O, L, H)
    for row in rows:
        weights, special = _attention(model, row)
        shares.append([share_at_offset(weights, special, offset) for offset in offsets])
    # A passage of T tokens has T - 3 pairs of neighbours; its share is their mean.
    return list(np.average(np.array(shares, float), axis=0, weights=[len(r) - 3 for r in rows]))


def resting(model: LoadedModel, rows: Sequence[Tensor]) -> np.ndarray:
    """Mean attention on ``[CLS]`` over all tokens and heads of each layer, (L,).

    If it is near 1, the heads have collapsed: a saturated softmax passes no gradient.

    Args:
        rows: Token ids of passages with special tokens, (T,) each.
    """
    shares = []
    for row in rows:
        weights, _ = _attention(model, row)
        shares.append(share_on(weights, np.arange(len(row)) == 0).mean(axis=1))
    return np.average(shares, axis=0, weights=[len(row) for row in rows])


def _attention(model: LoadedModel, row: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Weights of all heads on a passage, (L, H, T, T), and the mask of special tokens, (T,)."""
    special = np.zeros(len(row), bool)
    special[[0, -1]] = True
    with record_attention() as observed, torch.inference_mode():
        model.encode(row[None], torch.zeros_like(row)[None])
    return torch.stack(observed.weights).numpy(), special
