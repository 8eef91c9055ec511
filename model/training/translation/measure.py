"""What a translator gets right, and which source word its cross-attention looks at.

Axes: B batch, L layers, H heads, Tt target tokens, Ts source tokens.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.training.translation.tasks import Example, Task
from model.training.translation.tokenizers import BEGIN, END, PADDING, SPECIAL, padded
from model.transformer.attention import padding_mask
from model.transformer.encoder_decoder import EncoderDecoder

BATCH = 250
MOST = 32


def _batches(examples: Sequence[Example]) -> Iterator[Sequence[Example]]:
    for i in range(0, len(examples), BATCH):
        yield examples[i : i + BATCH]


def _sources(task: Task, examples: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Ids (B, Ts), and where they are no padding, (B, 1, 1, Ts)."""
    ids = padded(task.source.encode_batch([example.source for example in examples]))
    return ids, padding_mask((ids != PADDING).sum(1), ids.shape[1])


@torch.inference_mode()
def answers(
    model: EncoderDecoder, task: Task, examples: Sequence[Example], most: int = MOST
) -> list[str]:
    """What the model writes, the most probable token each time, as text.

    Args:
        model: The translator.
        task: Its task.
        examples: Whose sources it reads.
        most: Tokens after which it is stopped; no target is as long.
    """
    return [text for batch in _batches(examples) for text in _greedy(model, task, batch, most)]


def _greedy(model: EncoderDecoder, task: Task, examples: Sequence[Example], most: int) -> list[str]:
    ids, mask = _sources(task, examples)
    memory, cache = model.encode(ids, mask), model.decoder.new_cache()
    last = torch.full((len(examples), 1), SPECIAL.index(BEGIN))
    end = SPECIAL.index(END)
    ended = torch.zeros(len(examples), dtype=torch.bool)
    written: list[Tensor] = []
    while not ended.all() and len(written) < most:
        logits = model.decode(last, memory, mask, cache=cache)[:, -1]  # (B, 1, V) -> (B, V)
        last = logits.argmax(-1, keepdim=True)
        written.append(last)
        ended |= last[:, 0] == end
    rows = torch.cat(written, dim=1).tolist()
    return task.target.decode_batch(
        [row[: row.index(end)] if end in row else row for row in rows], skip_special_tokens=False
    )


@torch.inference_mode()
def loss_of(model: EncoderDecoder, task: Task, examples: Sequence[Example]) -> float:
    """Mean cross-entropy of a target token, each after the true ones before it, in nats."""
    total, count = 0.0, 0
    for batch in _batches(examples):
        ids, mask = _sources(task, batch)
        targets = padded(task.target.encode_batch([example.target for example in batch]))
        logits = model(ids, targets[:, :-1], source_mask=mask).flatten(0, 1)
        wanted = targets[:, 1:].flatten()
        total += cross_entropy(logits, wanted, ignore_index=PADDING, reduction="sum").item()
        count += int((wanted != PADDING).sum())
    return total / count


@contextmanager
def _cross_attention(model: EncoderDecoder) -> Iterator[list[Tensor]]:
    """The weights of each layer's cross-attention, (B, H, Tt, Ts), of what runs meanwhile."""
    seen: list[Tensor] = []
    handles = [
        module.register_forward_hook(lambda _, __, made: seen.append(made[1]))
        for name, module in model.decoder.named_modules()
        if name.endswith(".cross_attention")
    ]
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


@torch.inference_mode()
def looks(
    model: EncoderDecoder, task: Task, examples: Sequence[Example]
) -> Iterator[tuple[Example, int, np.ndarray]]:
    """Where each target token's writing looks, for those that stand for some source word.

    Yields:
        The example, the place of the target token, and the weights (L, H, Ts) of the row that
        writes it: the query is the token before, and the true ones before that have been read.
    """
    for batch in _batches(examples):
        ids, mask = _sources(task, batch)
        targets = padded(task.target.encode_batch([example.target for example in batch]))
        with _cross_attention(model) as seen:
            model(ids, targets[:, :-1], source_mask=mask)
        weights = torch.stack(seen, dim=1).numpy()  # L x (B, H, Tt, Ts) -> (B, L, H, Tt, Ts)
        for row, example in zip(weights, batch, strict=True):
            for place, sources in enumerate(example.sources):
                if sources:
                    yield example, place, row[:, :, place]


def alignment(
    model: EncoderDecoder, task: Task, examples: Sequence[Example]
) -> tuple[np.ndarray, int]:
    """How often the largest weight lies on a source word that the target word stands for.

    Returns:
        Shares (L, H + 1), the last column of the mean over heads, and of how many target words.
    """
    hits: list[np.ndarray] = []
    for example, place, weights in looks(model, task, examples):
        with_mean = np.concatenate([weights, weights.mean(1, keepdims=True)], axis=1)
        # (L, H, Ts) -> (L, H + 1, Ts) -> (L, H + 1)
        hits.append(np.isin(with_mean.argmax(-1), list(example.sources[place])))
    return np.mean(hits, axis=0), len(hits)
