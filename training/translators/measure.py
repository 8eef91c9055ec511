"""Measurements of a translator: its outputs, its loss, and the alignment of its cross-attention.

Axes: B batch, L layers, H heads, Tt target tokens, Ts source tokens, V vocabulary.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.capture.module_calls import record_calls
from model.transformer.attention import padding_mask
from model.transformer.encoder_decoder import EncoderDecoder
from training.translators.tasks import Example, TranslationTask
from training.translators.tokenizers import BEGIN, END, PADDING, SPECIAL, padded

BATCH = 250
MOST = 32


def _batches(examples: Sequence[Example]) -> Iterator[Sequence[Example]]:
    for i in range(0, len(examples), BATCH):
        yield examples[i : i + BATCH]


def _sources(task: TranslationTask, examples: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Source ids (B, Ts), and their padding mask (B, 1, 1, Ts)."""
    ids = padded(task.source.encode_batch([example.source for example in examples]))
    return ids, padding_mask((ids != PADDING).sum(1), ids.shape[1])


@torch.inference_mode()
def answers(model: EncoderDecoder, task: TranslationTask, examples: Sequence[Example]) -> list[str]:
    """The outputs of greedy decoding as text."""
    return [text for batch in _batches(examples) for text in _greedy(model, task, batch)]


def _greedy(model: EncoderDecoder, task: TranslationTask, examples: Sequence[Example]) -> list[str]:
    ids, mask = _sources(task, examples)
    memory, cache = model.encode(ids, mask), model.decoder.new_cache()
    last = torch.full((len(examples), 1), SPECIAL.index(BEGIN))
    end = SPECIAL.index(END)
    ended = torch.zeros(len(examples), dtype=torch.bool)
    written: list[Tensor] = []
    while not ended.all() and len(written) < MOST:
        logits = model.decode(last, memory, mask, cache=cache)[:, -1]  # (B, 1, V) -> (B, V)
        last = logits.argmax(-1, keepdim=True)
        written.append(last)
        ended |= last[:, 0] == end
    rows = torch.cat(written, dim=1).tolist()
    return task.target.decode_batch(
        [row[: row.index(end)] if end in row else row for row in rows], skip_special_tokens=False
    )


@torch.inference_mode()
def loss_of(model: EncoderDecoder, task: TranslationTask, examples: Sequence[Example]) -> float:
    """Mean cross-entropy of a target token in nats, with the true previous tokens as input."""
    total, count = 0.0, 0
    for batch in _batches(examples):
        ids, mask = _sources(task, batch)
        targets = padded(task.target.encode_batch([example.target for example in batch]))
        # (B, Tt - 1, V) -> (B * (Tt - 1), V)
        logits = model(ids, targets[:, :-1], source_mask=mask).flatten(0, 1)
        wanted = targets[:, 1:].flatten()  # (B, Tt - 1) -> (B * (Tt - 1),)
        total += cross_entropy(logits, wanted, ignore_index=PADDING, reduction="sum").item()
        count += int((wanted != PADDING).sum())
    return total / count


@torch.inference_mode()
def looks(
    model: EncoderDecoder, task: TranslationTask, examples: Sequence[Example]
) -> Iterator[tuple[Example, int, np.ndarray]]:
    """Cross-attention of each target token that translates a source token.

    Yields the example, the position of the token, and the weights (L, H, Ts) that predict it.
    """
    named = model.decoder.named_modules()
    modules = [module for name, module in named if name.endswith(".cross_attention")]
    for batch in _batches(examples):
        ids, mask = _sources(task, batch)
        targets = padded(task.target.encode_batch([example.target for example in batch]))
        with record_calls(modules) as calls:
            model(ids, targets[:, :-1], source_mask=mask)
        # Each call's output is (output, weights): L x (B, H, Tt, Ts) -> (B, L, H, Tt, Ts)
        weights = torch.stack([calls[module].output[1] for module in modules], dim=1).numpy()
        for row, example in zip(weights, batch, strict=True):
            for place, sources in enumerate(example.sources):
                if sources:
                    yield example, place, row[:, :, place]


def aligned(examples: Sequence[Example]) -> bool:
    """Whether the examples have word alignments."""
    return any(example.sources for example in examples)


def alignment(
    model: EncoderDecoder, task: TranslationTask, examples: Sequence[Example]
) -> tuple[np.ndarray, int]:
    """How often the largest weight of a target token is on a source token that it translates.

    Shares (L, H + 1), the mean over heads last, and the number of tokens; empty without alignments.
    """
    if not aligned(examples):
        return np.zeros(0), 0
    hits: list[np.ndarray] = []
    for example, place, weights in looks(model, task, examples):
        with_mean = np.concatenate([weights, weights.mean(1, keepdims=True)], axis=1)
        # (L, H, Ts) -> (L, H + 1, Ts) -> (L, H + 1)
        hits.append(np.isin(with_mean.argmax(-1), list(example.sources[place])))
    return np.mean(hits, axis=0), len(hits)
