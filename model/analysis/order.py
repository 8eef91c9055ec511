"""Runs of an encoder with permuted words or scaled position encodings.

Without positions, permuted words give the same output rows, permuted (permutation equivariance).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from unicodedata import east_asian_width

import numpy as np

from model.analysis.masking import check_own_encoder
from model.capture.record import AttentionCapture
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError


@dataclass(frozen=True)
class Reordered:
    """Run of an encoder on permuted words; ``order``: the typed index of each token, length T."""

    capture: AttentionCapture
    hidden: np.ndarray
    order: tuple[int, ...]

    def as_typed(self, rows: np.ndarray) -> np.ndarray:
        """Restore the order of the typed sentence, (T, ...)."""
        return rows[np.argsort(self.order)]

    def weights_as_typed(self, layer: int, head: int) -> np.ndarray:
        """Weights of a head (T, T), with queries and keys in the order of the typed sentence."""
        inverse = np.argsort(self.order)
        return self.capture.weights[layer, head][np.ix_(inverse, inverse)]

    def hidden_difference(self, typed: "Reordered") -> float:
        """Largest difference between the hidden states of the same token in two runs."""
        ours, theirs = (run.as_typed(run.hidden) for run in (self, typed))  # (T, D) each
        return float(np.abs(ours - theirs).max())


def reorder(
    model: LoadedModel, text: str, words: Sequence[int] | None = None, position_scale: float = 1.0
) -> Reordered:
    """Run one of our encoders on a sentence with permuted words.

    Args:
        words: A permutation of the indices of its words (:func:`typed_words`). Pieces of a word
            stay together; special tokens stay in their positions.
        position_scale: Factor on the position encodings; 0 turns them off.

    Raises:
        HeadlightError: If the model is not ours, or ``words`` is no permutation.
    """
    check_own_encoder(model)
    tokens = model.tokenize(text)
    order = _token_order(tokens, text, words)
    permuted = replace(tokens.at(order), segment_ids=tokens.segment_ids)  # these are of positions
    encode = partial(model.module, position_scale=position_scale)
    observed, hidden = model.run_recorded(permuted, encode)
    capture = to_capture(observed, permuted, model, text, None)
    return Reordered(capture, hidden.numpy(), order)


def typed_words(tokens: Tokens, text: str) -> list[str]:
    """Split a text at spaces into the words that can be moved, with punctuation ("didn't")."""
    return [
        text[tokens.offsets[word[0]][0] : tokens.offsets[word[-1]][1]]
        for word in _words(tokens, text)
    ]


def _words(tokens: Tokens, text: str) -> list[list[int]]:
    """Positions of each word's tokens."""
    words: list[list[int]] = []
    for position, word in enumerate(tokens.word_ids):
        if word is None:
            continue
        start = tokens.offsets[position][0]
        before = words[-1][-1] if words else None
        if before is None or (
            tokens.word_ids[before] != word and _separated(text, tokens.offsets[before][1], start)
        ):
            words.append([])
        words[-1].append(position)
    return words


def _separated(text: str, stop: int, start: int) -> bool:
    """Whether two tokens are two words; next to a wide character (Chinese) each token is a word."""
    between, adjacent = text[stop:start], text[stop - 1 : stop] + text[start : start + 1]
    return any(map(str.isspace, between)) or any(east_asian_width(x) in "WF" for x in adjacent)


def _token_order(tokens: Tokens, text: str, words: Sequence[int] | None) -> tuple[int, ...]:
    pieces = _words(tokens, text)
    order = list(range(len(pieces))) if words is None else list(words)
    if sorted(order) != list(range(len(pieces))):
        raise HeadlightError(
            "The order must contain each of the {count} words once, as numbers from 0 to {last}.",
            count=len(pieces),
            last=len(pieces) - 1,
        )
    positions = iter([position for word in order for position in pieces[word]])
    return tuple(
        position if word is None else next(positions)
        for position, word in enumerate(tokens.word_ids)
    )
