"""What order means to an encoder: the same words in another order, and positions turned down.

Attention and feed-forward treat every token alike (permutation equivariance): without positions,
permuted words give the same output rows, permuted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from unicodedata import east_asian_width

import numpy as np

from model.capture.record import AttentionCapture
from model.capture.stacks import to_capture
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
        words: A permutation of its words (:func:`typed_words`), each the word's number as typed;
            pieces of a word stay together, and the model's special tokens where they are.
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
    order = _token_order(tokens, text, words)
    moved = _moved(tokens, order)
    encode = partial(model.module, position_scale=position_scale)
    observed, hidden = model.watch(moved, encode)
    capture = to_capture(observed, moved, model.name, text, None)
    return Reordered(capture, hidden.numpy(), order)


def typed_words(tokens: Tokens, text: str) -> list[str]:
    """The words that can be moved, as they stand in the text that the tokens were made of.

    A word is what stands between blanks, its punctuation and its apostrophes with it: a person
    moves "didn't" and "tired.", not the parts that a tokenizer makes of them.
    """
    return [
        text[tokens.offsets[word[0]][0] : tokens.offsets[word[-1]][1]]
        for word in _words(tokens, text)
    ]


def _words(tokens: Tokens, text: str) -> list[list[int]]:
    """The positions of each word's tokens."""
    words: list[list[int]] = []
    for position, word in enumerate(tokens.word_ids):
        if word is None:
            continue
        start = tokens.offsets[position][0]
        before = words[-1][-1] if words else None
        if before is None or (
            tokens.word_ids[before] != word and _apart(text, tokens.offsets[before][1], start)
        ):
            words.append([])
        words[-1].append(position)
    return words


def _apart(text: str, stop: int, start: int) -> bool:
    """Whether two tokens' text, up to ``stop`` and from ``start``, belongs to two words.

    Chinese and Japanese have no blanks: beside a wide character each token is a word.
    """
    between, beside = text[stop:start], text[stop - 1 : stop] + text[start : start + 1]
    return any(map(str.isspace, between)) or any(east_asian_width(x) in "WF" for x in beside)


def _token_order(tokens: Tokens, text: str, words: Sequence[int] | None) -> tuple[int, ...]:
    pieces = _words(tokens, text)
    wanted = list(range(len(pieces))) if words is None else list(words)
    if sorted(wanted) != list(range(len(pieces))):
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
