"""What a language model can do: how well it predicts hidden words, and where its heads look."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from model.analysis.measures import share_at_offset, share_on
from model.capture.hooks import recording
from model.catalogue.loaded import LoadedModel
from model.training.masking import mask_tokens
from model.transformer.language_model import MaskedLanguageModel


@dataclass(frozen=True)
class Accuracy:
    """How well masked tokens are predicted.

    Attributes:
        loss: Mean cross-entropy in nats, over the whole vocabulary.
        top1: Share of masked tokens whose best guess is right.
        top5: Share whose five best guesses hold it.
        count: Masked tokens.
    """

    loss: float
    top1: float
    top5: float
    count: int


@torch.inference_mode()
def measure(
    model: MaskedLanguageModel, rows: Iterator[Tensor], mask_id: int, seed: int = 0
) -> Accuracy:
    """Mask 15 % of each row, all behind [MASK], and predict.

    Args:
        model: In whatever mode; left as it was.
        rows: Ids of sequences, (T,) each, special tokens first and last.
        mask_id: Of ``[MASK]``.
        seed: Of the choice.
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
        model: Whose heads.
        rows: Ids of passages, (T,) each, special tokens first and last; those do not count.
        offsets: -1 for the previous token, 1 for the next.

    Returns:
        For each offset (L, H), in 64 bits.
    """
    shares = []  # of each passage (O, L, H)
    for row in rows:
        weights, special = _attention(model, row)
        shares.append([share_at_offset(weights, special, offset) for offset in offsets])
    # A passage of T tokens has T - 3 pairs of neighbours; its share is their mean.
    return list(np.average(np.array(shares, float), axis=0, weights=[len(r) - 3 for r in rows]))


def resting(model: LoadedModel, rows: Sequence[Tensor]) -> np.ndarray:
    """Mean attention of every layer's heads on ``[CLS]``, over all tokens of passages: (L,).

    Near 1, the layer's heads have collapsed: a saturated softmax passes no gradient.
    """
    shares = []
    for row in rows:
        weights, _ = _attention(model, row)
        shares.append(share_on(weights, np.arange(len(row)) == 0).mean(axis=1))
    return np.average(shares, axis=0, weights=[len(row) for row in rows])


def _attention(model: LoadedModel, row: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Every head's weights on a passage, (L, H, T, T), and which tokens are special, (T,)."""
    special = np.zeros(len(row), bool)
    special[[0, -1]] = True
    with recording() as observed, torch.inference_mode():
        model.encode(row[None], torch.zeros_like(row)[None])
    return torch.stack(observed.weights).numpy(), special
