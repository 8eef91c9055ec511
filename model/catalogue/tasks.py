"""Decisions of fine-tuned heads: a label, a label for each token, or the span of an answer.

Axes: T tokens, C labels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from model.capture.tokens import Tokens

TaskKind = Literal["sequence", "multi", "regression", "token", "answer"]
"""One label for the text, any number of labels, numbers, one label for each token, or the first and
last token of an answer.
"""

LONGEST_ANSWER = 30
"""Most tokens of an answer. Longer spans are seldom answers but can win by chance."""


@dataclass(frozen=True)
class Task:
    """The task of a fine-tuned head.

    Attributes:
        labels: The labels in the order of the logits; ``("start", "end")`` for answers.
        logits: Runs the model up to its head's logits, from token ids (1, T) and segment ids (1, T)
            to (1, C), for tokens to (1, T, C), for answers to (1, T, 2).
    """

    kind: TaskKind
    labels: tuple[str, ...]
    logits: Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Span:
    """The most probable answer; ``last`` is the position of its last token, inclusive."""

    text: str
    first: int
    last: int
    probability: float


@dataclass(frozen=True, eq=False)
class Decision:
    """The output of a fine-tuned head on a sentence or a pair.

    Attributes:
        probabilities: float32. (C,) for a text: they sum to 1, except "multi", where each is
            independent, and "regression", where they are raw values. (T, C) for "token": every row
            sums to 1; the rows of special tokens mean nothing. (T, 2) for "answer": each column
            sums to 1 over all tokens; the probability on ``[CLS]`` means that there is no answer.
        answer: For "answer", the best span; None if no token can be part of one.
    """

    kind: TaskKind
    labels: tuple[str, ...]
    probabilities: np.ndarray
    answer: Span | None = None


def to_decision(task: Task, logits: Tensor, tokens: Tokens, texts: tuple[str, str]) -> Decision:
    """Turn logits of one text, (C,), (T, C) or (T, 2), into probabilities; no second text is ""."""
    if task.kind == "answer":
        probabilities = logits.softmax(dim=0)  # (T, 2), over the tokens
        answer = _best_span(logits, probabilities, tokens, texts)
        return Decision(task.kind, task.labels, probabilities.numpy(), answer)
    if task.kind == "multi":
        values = logits.sigmoid()
    elif task.kind == "regression":
        values = logits
    else:
        values = logits.softmax(dim=-1)
    return Decision(task.kind, task.labels, values.numpy())


def _best_span(
    logits: Tensor, probabilities: Tensor, tokens: Tokens, texts: tuple[str, str]
) -> Span | None:
    """Find the most probable span of up to LONGEST_ANSWER tokens without special tokens.

    Of a pair, the first sentence is the question and the second contains the answer.
    """
    sentence = 1 if any(tokens.segment_ids) else 0
    eligible = torch.tensor(
        [
            word is not None and segment == sentence
            for word, segment in zip(tokens.word_ids, tokens.segment_ids, strict=True)
        ]
    )  # (T,)
    # Sums of logits order the spans like products of probabilities, but do not underflow to 0.
    scores = logits[:, 0, None] + logits[None, :, 1]  # (T, 1) + (1, T) -> (T, T)
    possible = eligible[:, None] & eligible  # (T, T), rows start and columns end
    possible = possible.triu().tril(LONGEST_ANSWER - 1)
    if not possible.any():
        return None
    best = int(scores.masked_fill(~possible, -torch.inf).argmax())
    first, last = divmod(best, len(eligible))
    return Span(
        text=texts[sentence][tokens.offsets[first][0] : tokens.offsets[last][1]].strip(),
        first=first,
        last=last,
        probability=float(probabilities[first, 0] * probabilities[last, 1]),
    )
