"""What a fine-tuned head decides: a class, a class for each token, or where an answer stands.

Axes: T tokens, C labels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from model.capture.tokens import Tokens

Kind = Literal["sequence", "multi", "regression", "token", "answer"]
"""One label for the text, any number of labels for it, numbers for it, one label for each token,
or the tokens at which an answer starts and ends."""

LONGEST_ANSWER = 30
"""Tokens; longer spans are seldom an answer, and one would win by chance now and then."""


@dataclass(frozen=True)
class Task:
    """What a model's head was fine-tuned for.

    Attributes:
        kind: What it decides.
        labels: Between what, in the order of the logits; ``("start", "end")`` for answers.
        logits: Runs the model up to its head's logits, from token ids (1, T) and segment ids
            (1, T) to (1, C), for tokens to (1, T, C), for answers to (1, T, 2).
    """

    kind: Kind
    labels: tuple[str, ...]
    logits: Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Span:
    """The most probable answer.

    Attributes:
        text: As it stands in the sentence.
        first: Position of its first token.
        last: Position of its last token, itself included.
        probability: That it starts there, times that it ends there.
    """

    text: str
    first: int
    last: int
    probability: float


@dataclass(frozen=True, eq=False)
class Decision:
    """What a head says about a sentence or a pair.

    Attributes:
        kind: What was decided.
        labels: Between what, C of them.
        probabilities: float32. Of each label (C,): they sum to 1, but for "multi", where each
            stands alone, and for "regression", where they are the raw values and no probabilities.
            For "token" (T, C), every row sums to 1, also those of the special tokens, which mean
            nothing. For "answer" (T, 2), each column sums to 1 over all tokens, as in training:
            what falls on ``[CLS]`` says that there is no answer.
        answer: For "answer", the best span; None if no token can be in one.
    """

    kind: Kind
    labels: tuple[str, ...]
    probabilities: np.ndarray
    answer: Span | None = None


def to_decision(task: Task, logits: Tensor, tokens: Tokens, texts: tuple[str, str]) -> Decision:
    """Turn a head's logits into probabilities.

    Args:
        task: The model's.
        logits: Of one text: (C,), (T, C) or (T, 2).
        tokens: What the model was run on, T of them.
        texts: The sentences that they came from, the second one "" if there was none.
    """
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
    """The most probable span of up to LONGEST_ANSWER tokens, special tokens left out.

    Of a pair the first sentence is the question, and the answer stands in the second.
    """
    sentence = 1 if any(tokens.segment_ids) else 0
    eligible = torch.tensor(
        [
            word is not None and segment == sentence
            for word, segment in zip(tokens.word_ids, tokens.segment_ids, strict=True)
        ]
    )  # (T,)
    # By logits, whose sum orders the spans as the product of the probabilities does, but cannot
    # underflow to 0 everywhere.
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
