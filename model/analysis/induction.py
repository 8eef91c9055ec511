"""What only a head that sees no later token can be asked: induction, duplicates, the first token.

An induction head finds where a token stood before and reads what came next (Elhage et al. 2021;
Olsson et al. 2022, "In-context Learning and Induction Heads"). On random tokens that are repeated
nothing else tells what comes next.

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
"""Random tokens, and how often they come (Olsson et al. 2022, appendix "Head activation")."""


def prefix_matching(weights: np.ndarray, token_ids: Sequence[int]) -> np.ndarray:
    """How much a head attends to what came after its token when that stood before.

    Args:
        weights: (L, H, T, T), no token seeing a later one.
        token_ids: Of the T tokens.

    Returns:
        (L, H), from 0 to 1: the mean over tokens that stood before of what falls on the tokens
        that followed them then. Not a number where no token stands twice.
    """
    return _mean_on(weights, _earlier(token_ids), shift=1)


def duplicates(weights: np.ndarray, token_ids: Sequence[int]) -> np.ndarray:
    """How much a head attends to its own token where that stood before, (L, H), 0 to 1.

    Args:
        weights: (L, H, T, T), no token seeing a later one.
        token_ids: Of the T tokens.

    Returns:
        The mean over tokens that stood before. Not a number where none does.
    """
    return _mean_on(weights, _earlier(token_ids), shift=0)


def first_token(weights: np.ndarray) -> np.ndarray:
    """How much a head leaves on the first token, where heads with nothing to do look.

    Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks".

    Args:
        weights: (L, H, T, T).

    Returns:
        (L, H), the mean over all tokens but the first itself, which sees nothing else.
    """
    if weights.shape[-1] < 2:
        return np.full(weights.shape[:2], np.nan)
    mean: np.ndarray = weights[:, :, 1:, 0].mean(axis=-1)  # (L, H, T-1) -> (L, H)
    return mean


def induction_scores(model: LoadedCausal, seed: int = 0) -> np.ndarray:
    """Each head's prefix matching on random tokens that are repeated, (L, H).

    As Olsson et al. 2022 define it: 25 tokens four times behind one another, neither the most
    common nor the rarest, behind the token that ends (and in most begins) a text.

    Args:
        model: A decoder.
        seed: Of the tokens.

    Raises:
        HeadlightError: If the vocabulary is too small for so many different tokens.
    """
    capture = attend_to_repeated(model, seed)
    return prefix_matching(capture.weights, capture.token_ids)


def attend_to_repeated(model: LoadedCausal, seed: int = 0) -> AttentionCapture:
    """Capture every head on the tokens of :func:`repeated_tokens`.

    Raises:
        HeadlightError: As that does.
    """
    tokens = repeated_tokens(model, seed)
    observed, _ = model.watch(tokens)
    text = "".join(tokens.pieces)
    return to_capture(observed, tokens, model.name, text, None, stack=model.stack)


def repeated_tokens(model: LoadedCausal, seed: int = 0) -> Tokens:
    """The tokens of :func:`induction_scores`. Of a short model as many repeats as it takes.

    Raises:
        HeadlightError: If the vocabulary, or the model, is too small.
    """
    control = model.tokenizer.get_added_tokens_decoder()
    ids = sorted(id_ for id_ in model.tokenizer.get_vocab().values() if id_ not in control)
    # A vocabulary of byte pairs is numbered as it was merged, which is by frequency, nearly.
    middle = ids[len(ids) // 10 : -len(ids) // 10]
    repeats = min(N_REPEATS, (model.predictor.max_len - 1) // N_RANDOM)
    if len(middle) < N_RANDOM or repeats < 2:
        raise HeadlightError(
            "{model} is too small for {n_tokens} different tokens, twice.",
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
    """Boolean (T, T): whether the token of a column is the row's, and stands before it."""
    ids = np.asarray(token_ids)
    return np.tril(ids[:, None] == ids, k=-1)


def _mean_on(weights: np.ndarray, earlier: np.ndarray, shift: int) -> np.ndarray:
    """The mean over rows with an earlier one of what falls on those, ``shift`` tokens later."""
    asked = earlier.any(axis=-1)  # (T,)
    if not asked.any():
        return np.full(weights.shape[:2], np.nan)
    meant = np.roll(earlier, shift, axis=-1)  # a row's last column is never set: nothing wraps
    on_them = (weights * meant).sum(axis=-1)  # (L, H, T, T) -> (L, H, T)
    mean: np.ndarray = on_them[..., asked].mean(axis=-1)
    return mean
