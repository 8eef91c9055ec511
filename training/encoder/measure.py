"""Measurements on held-out text: accuracy on masked tokens, and attention of the heads."""

import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.analysis.weight_statistics import share_at_offset
from model.capture.attention_hooks import record_attention
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.scratch import TRAINED_LENGTH
from model.errors import HeadlightError
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.loss import mask_tokens

SEED = 0
"""Seed of the masks."""


def passages(
    file: Path, tokenizer: Tokenizer, count: int | None = None, longest: int = TRAINED_LENGTH
) -> list[Tensor]:
    """The token ids of the passages of a ``.txt`` or ``.txt.xz`` file, (T,) each.

    ``count`` is how many from the start, None all; ``longest`` is T at most, special tokens
    included. A passage has at least three other tokens.
    """
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    found: list[Tensor] = []
    for line in _lines(file):
        ids = tokenizer.encode(line, add_special_tokens=False).ids
        for i in range(0, len(ids), longest - 2):
            part = ids[i : i + longest - 2]
            if len(part) > 2:
                found.append(torch.tensor([cls, *part, sep]))
        if count is not None and len(found) >= count:
            break
    if not found:
        raise HeadlightError("The text {name} has no sentences.", name=str(file))
    return found[:count]


def _lines(file: Path) -> Iterator[str]:
    read = lzma.open if file.suffix == ".xz" else open
    try:
        with read(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                text = re.sub(r"<unk>|@-@", " ", line).strip()
                if text and not text.startswith("="):  # headings are no sentences
                    yield re.sub(r"\s+", " ", text)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise HeadlightError("The text {name} cannot be read.", name=str(file)) from error


@dataclass(frozen=True)
class Accuracy:
    """How well masked tokens are predicted; ``loss`` in nats, over the whole vocabulary."""

    loss: float
    top1: float
    top5: float
    count: int


@torch.inference_mode()
def measure(
    model: MaskedLanguageModel, rows: Iterator[Tensor], mask_id: int, seed: int = 0
) -> Accuracy:
    """Replace 15 % of the tokens of each row, (T,), with [MASK], and predict them."""
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
    """Mean attention of every head to the token at each offset, float64 (L, H) each."""
    shares = []  # of each passage (O, L, H)
    for row in rows:
        weights, special = _attention(model, row)
        shares.append([share_at_offset(weights, special, offset) for offset in offsets])
    # A passage of T tokens has T - 3 pairs of neighbours; its share is their mean.
    return list(np.average(np.array(shares, float), axis=0, weights=[len(r) - 3 for r in rows]))


def resting(model: LoadedModel, rows: Sequence[Tensor]) -> np.ndarray:
    """Mean attention on ``[CLS]`` in each layer, (L,): near 1, its heads have collapsed."""
    shares = [_attention(model, row)[0][..., 0].mean(axis=(1, 2)) for row in rows]
    return np.average(shares, axis=0, weights=[len(row) for row in rows])


def _attention(model: LoadedModel, row: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Weights of all heads on a passage, (L, H, T, T), and the mask of special tokens, (T,)."""
    special = np.zeros(len(row), bool)
    special[[0, -1]] = True
    with record_attention() as observed, torch.inference_mode():
        model.encode(row[None], torch.zeros_like(row)[None])
    return torch.stack(observed.weights).numpy(), special
