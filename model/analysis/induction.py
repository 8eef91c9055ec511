"""Measures of decoder heads: induction, duplicate tokens and the first token.

An induction head finds an earlier occurrence of a token and attends to the token after it (Elhage
et al. 2021; Olsson et al. 2022, "In-context Learning and Induction Heads"). On repeated random
tokens only this predicts the next token.

Axes: L n_layers, H n_heads, T tokens.
"""

from collections.abc import Sequence

import numpy as np

from model.capture.record import AttentionCapture
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue.causal import LoadedCausal
from model.errors import HeadlightError

N_RANDOM, N_REPEATS = 25, 4
"""Number of random tokens, and of repeats (Olsson et al. 2022, appendix "Head activation")."""


def prefix_matching(weights: np.ndarray, token_ids: Sequence[int]) -> np.ndarray:
    """Mean attention to the tokens that followed earlier occurrences of the same token.

    (L, H, T, T), causal -> (L, H), from 0 to 1: over tokens that occurred before; NaN without one.
    """
    return _mean_on(weights, _earlier(token_ids), shift=1)


def duplicates(weights: np.ndarray, token_ids: Sequence[int]) -> np.ndarray:
    """Mean attention to earlier occurrences of the same token, as :func:`prefix_matching`."""
    return _mean_on(weights, _earlier(token_ids), shift=0)


def first_token(weights: np.ndarray) -> np.ndarray:
    """Mean attention to the first token, (L, H), of all others: the usual target of inactive heads.

    Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks".
    """
    if weights.shape[-1] < 2:
        return np.full(weights.shape[:2], np.nan)
    mean: np.ndarray = weights[:, :, 1:, 0].mean(axis=-1)  # (L, H, T-1) -> (L, H)
    return mean


def attend_to_repeated(model: LoadedCausal, seed: int = 0) -> AttentionCapture:
    """Capture every head on the tokens of :func:`repeated_tokens`."""
    tokens = repeated_tokens(model, seed)
    observed, _ = model.run_recorded(tokens)
    text = "".join(tokens.pieces)
    return to_capture(observed, tokens, model, text, None, stack=model.stack)


def induction_scores(model: LoadedCausal, seed: int = 0) -> np.ndarray:
    """Measure :func:`prefix_matching` of every head on :func:`repeated_tokens`, (L, H)."""
    capture = attend_to_repeated(model, seed)
    return prefix_matching(capture.weights, capture.token_ids)


def repeated_tokens(model: LoadedCausal, seed: int = 0) -> Tokens:
    """Draw 25 tokens, neither the most common nor the rarest, and repeat them four times.

    Follows Olsson et al. 2022. The end-of-text token, which in most models also begins a text,
    comes first. A short model gets fewer repeats. Raises a HeadlightError if the vocabulary or the
    model is too small.
    """
    control = model.tokenizer.get_added_tokens_decoder()
    ids = sorted(id_ for id_ in model.tokenizer.get_vocab().values() if id_ not in control)
    # Byte-pair ids follow the order of merges, roughly by frequency.
    middle = ids[len(ids) // 10 : -len(ids) // 10]
    repeats = min(N_REPEATS, (model.predictor.max_len - 1) // N_RANDOM)
    if len(middle) < N_RANDOM or repeats < 2:
        raise HeadlightError(
            "{model} is too small for {n_tokens} different tokens twice.",
            model=model.name,
            n_tokens=N_RANDOM,
        )
    drawn = np.random.default_rng(seed).choice(middle, N_RANDOM, replace=False).tolist()
    row = [*([] if model.end is None else [model.end]), *(drawn * repeats)]
    n_tokens = len(row)
    return Tokens(
        pieces=tuple(model.token_name(id_) for id_ in row),
        ids=tuple(row),
        offsets=((0, 0),) * n_tokens,
        word_ids=tuple(None if id_ in control else i for i, id_ in enumerate(row)),
        segment_ids=(0,) * n_tokens,
    )


def _earlier(token_ids: Sequence[int]) -> np.ndarray:
    """Boolean (T, T): True where the key is an earlier occurrence of the query's token."""
    ids = np.asarray(token_ids)
    return np.tril(ids[:, None] == ids, k=-1)  # (T,) -> (T, T)


def _mean_on(weights: np.ndarray, earlier: np.ndarray, shift: int) -> np.ndarray:
    """Mean attention to the keys ``shift`` after earlier occurrences, over rows that have one."""
    repeated = earlier.any(axis=-1)  # (T,)
    if not repeated.any():
        return np.full(weights.shape[:2], np.nan)
    targets = np.roll(earlier, shift, axis=-1)  # the last column is never set: nothing wraps
    shares = (weights * targets).sum(axis=-1)  # (L, H, T, T) -> (L, H, T)
    mean: np.ndarray = shares[..., repeated].mean(axis=-1)  # (L, H, T) -> (L, H)
    return mean
