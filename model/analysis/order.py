"""What order means to an encoder: the same words in another order, and positions turned down.

Attention and feed-forward treat every token alike (permutation equivariance): without positions,
permuted words give the same output rows, permuted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from model.capture.record import AttentionCapture, to_capture
from model.capture.tokens import Tokens
from model.catalogue.loaded import LoadedModel
from model.errors import HeadlightError
from model.transformer.encoder import Encoder


@dataclass(frozen=True)
class Reordered:
    """An encoder's view of a sentence in some order.

    Attributes:
        capture: Of the tokens in that order.
        hidden: The last hidden states in that order, float32 (T, D).
        order: For each place, which token of the sentence as typed stands there, length T.
    """

    capture: AttentionCapture
    hidden: np.ndarray
    order: tuple[int, ...]

    def as_typed(self, rows: np.ndarray) -> np.ndarray:
        """Bring rows (T, ...) back into the order of the sentence as typed."""
        return rows[np.argsort(self.order)]

    def weights_as_typed(self, layer: int, head: int) -> np.ndarray:
        """A head's weights (T, T), queries and keys both in the order of the sentence as typed."""
        back = np.argsort(self.order)
        return self.capture.weights[layer, head][np.ix_(back, back)]

    def hidden_difference(self, typed: "Reordered") -> float:
        """The largest difference of hidden states to another order's, each token with itself."""
        ours, theirs = (run.as_typed(run.hidden) for run in (self, typed))  # (T, D) each
        return float(np.abs(ours - theirs).max())


def reorder(
    model: LoadedModel, text: str, words: Sequence[int] | None = None, position_scale: float = 1.0
) -> Reordered:
    """Run one of our encoders on a sentence with its words in another order.

    Args:
        model: One that runs our own encoder.
        text: The sentence as typed.
        words: A permutation of its words, each the word's number as typed; pieces of a word stay
            together, and the model's special tokens where they are.
        position_scale: Factor on the position encodings; 0 turns them off.

    Raises:
        HeadlightError: If the model is not ours, or ``words`` is no permutation of the words.
    """
    if not isinstance(model.module, Encoder):
        raise HeadlightError(
            "{model} is not our own encoder: only there can positions be turned down.",
            model=model.name,
        )
    tokens = model.tokenize(text)
    order = _token_order(tokens, words)
    moved = _moved(tokens, order)
    encode = partial(model.module, position_scale=position_scale)
    observed, hidden = model.watch(moved, encode)
    capture = to_capture(observed, moved, model.name, text, None)
    return Reordered(capture, hidden.numpy(), order)


def typed_words(tokens: Tokens, text: str) -> list[str]:
    """The words that can be moved, as they stand in the text that the tokens were made of."""
    spans: dict[int, tuple[int, int]] = {}
    for (start, stop), word in zip(tokens.offsets, tokens.word_ids, strict=True):
        if word is not None:
            spans[word] = (spans.get(word, (start, stop))[0], stop)
    return [text[slice(*span)] for span in spans.values()]


def n_words(tokens: Tokens) -> int:
    """How many words there are to move."""
    return len({word for word in tokens.word_ids if word is not None})


def _token_order(tokens: Tokens, words: Sequence[int] | None) -> tuple[int, ...]:
    pieces: dict[int, list[int]] = {}
    for position, word in enumerate(tokens.word_ids):
        if word is not None:
            pieces.setdefault(word, []).append(position)
    wanted = list(pieces) if words is None else list(words)
    if sorted(wanted) != sorted(pieces):
        raise HeadlightError(
            "The order must name each of the {count} words once: numbers 0 to {last}.",
            count=len(pieces),
            last=len(pieces) - 1,
        )
    moving = iter([position for word in wanted for position in pieces[word]])
    return tuple(
        position if word is None else next(moving) for position, word in enumerate(tokens.word_ids)
    )


def _moved(tokens: Tokens, order: Sequence[int]) -> Tokens:
    """The same tokens in another order; segments belong to places, not to words."""
    return replace(
        tokens,
        pieces=tuple(tokens.pieces[i] for i in order),
        ids=tuple(tokens.ids[i] for i in order),
        offsets=tuple(tokens.offsets[i] for i in order),
        word_ids=tuple(tokens.word_ids[i] for i in order),
    )
