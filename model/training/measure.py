"""How well a language model predicts hidden words: on the way, and of what ships."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

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
