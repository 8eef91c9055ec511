"""What a head attends to, in numbers: how broadly, how far, to what; and which heads are alike.

Axes: L n_layers, H n_heads, T tokens. Weights are (..., T, T), rows attending, and sum to 1.

Clark et al. 2019, "What Does BERT Look At?", sections 3 and 6.
"""

import math
import unicodedata
from collections.abc import Sequence

import numpy as np

from model.capture.record import AttentionCapture


def entropy(weights: np.ndarray) -> np.ndarray:
    """How broadly a head attends: the mean entropy of its rows (Clark et al. 2019, section 3.3).

    Args:
        weights: (..., T, T).

    Returns:
        (...,) in nats: 0 where every token attends to one alone, ln T where to all alike.
    """
    return _entropies(weights).mean(axis=-1)


def _entropies(rows: np.ndarray) -> np.ndarray:
    """-sum p ln p of each row, 0 ln 0 = 0: (..., T) -> (...,).

    As ``scipy.special.entr(rows).sum(-1)``, in a quarter of its time.
    """
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return np.abs(np.vecdot(rows, logs))  # abs: a weight rounded above 1 is no -0.00


def distance(weights: np.ndarray) -> np.ndarray:
    """How far a head looks: the mean of |i - j| tokens, weighted by attention.

    Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model".

    Args:
        weights: (..., T, T).

    Returns:
        (...,) in tokens.
    """
    position = np.arange(weights.shape[-1])
    apart = np.abs(position[:, None] - position).astype(weights.dtype)  # (T, T)
    return np.einsum("...ij,ij->...", weights, apart) / len(position)


def share_on(weights: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Mean attention from a token to some tokens together (Clark et al. 2019, section 3.2).

    Args:
        weights: (..., T, T).
        keys: Boolean (T,), True for the tokens attended to; all tokens attend.

    Returns:
        (...,), from 0 to 1; 0 where there are no such tokens.
    """
    return weights.mean(axis=-2) @ keys.astype(weights.dtype)  # (..., T) @ (T,) -> (...,)


def share_at_offset(weights: np.ndarray, special: np.ndarray, offset: int) -> np.ndarray:
    """Mean attention from a token to the one at a fixed distance (Clark et al. 2019, section 3.1).

    Tokens that the model added count neither as those that attend nor as those attended to: the
    first word's previous token is none of the sentence's.

    Args:
        weights: (..., T, T), rows attending.
        special: Boolean (T,), True for tokens that the model added.
        offset: -1 for the previous token, 1 for the next, 0 for itself.

    Returns:
        (...,); not a number where no two tokens are that far apart.
    """
    n_tokens = len(special)
    queries = np.arange(max(0, -offset), min(n_tokens, n_tokens - offset))
    queries = queries[~special[queries] & ~special[queries + offset]]
    if not len(queries):
        return np.full(weights.shape[:-2], np.nan)
    return weights[..., queries, queries + offset].mean(axis=-1)


def share_on_same(weights: np.ndarray, special: np.ndarray, ids: Sequence[int]) -> np.ndarray:
    """Mean attention from a token to the same token elsewhere in the text.

    Args:
        weights: (..., T, T), rows attending.
        special: Boolean (T,), True for tokens that the model added; they have no equals.
        ids: What each token is, length T.

    Returns:
        (...,); not a number where no token occurs twice.
    """
    token = np.asarray(ids)
    equal = (token[:, None] == token) & ~special[:, None] & ~special  # (T, T)
    np.fill_diagonal(equal, False)  # itself is not elsewhere
    repeated = equal.any(axis=1)
    if not repeated.any():
        return np.full(weights.shape[:-2], np.nan)
    on_equals = np.einsum("...ij,ij->...", weights, equal.astype(weights.dtype))
    return on_equals / repeated.sum()


def profile(capture: AttentionCapture) -> dict[str, np.ndarray]:
    """Measure every head by every number of this file.

    Args:
        capture: The captured sentence.

    Returns:
        Each (L, H):

        - ``entropy``, in nats, ``evenness``: the entropy as a share of ln T, the most there is; and
          ``distance``, in tokens;
        - ``cls``, ``sep`` and ``punctuation``: shares of the attention of all tokens, to the
          special token that opens the text (BERT's [CLS], RoBERTa's <s>), to the other special
          tokens ([SEP], </s>), and to tokens that stand for punctuation alone;
        - ``self``, ``previous`` and ``next``: shares from a token of the text to itself and to its
          neighbours, as :func:`share_at_offset` counts them; ``same``: to the same token
          elsewhere, as :func:`share_on_same` counts it.
    """
    weights, special = capture.weights, capture.special
    opening = np.arange(len(special)) == 0
    entropies = entropy(weights)
    return {
        "entropy": entropies,
        "evenness": entropies / math.log(max(len(special), 2)),
        "distance": distance(weights),
        "cls": share_on(weights, special & opening),
        "sep": share_on(weights, special & ~opening),
        "punctuation": share_on(weights, _punctuation(capture)),
        "self": share_at_offset(weights, special, 0),
        "previous": share_at_offset(weights, special, -1),
        "next": share_at_offset(weights, special, 1),
        "same": share_on_same(weights, special, capture.token_ids),
    }


def _punctuation(capture: AttentionCapture) -> np.ndarray:
    """Boolean (T,): tokens all of whose characters are Unicode's punctuation (categories P*).

    The characters are those of the text: pieces carry marks of their vocabulary (##, ▁).
    """
    sentences = (capture.text, capture.text_pair or "")
    covered = [
        sentences[segment][start:end].strip()
        for segment, (start, end) in zip(capture.segment_ids, capture.offsets, strict=True)
    ]
    return np.array(
        [
            text != "" and all(unicodedata.category(letter).startswith("P") for letter in text)
            for text in covered  # specials cover nothing
        ]
    )


def shared_heads(weights: np.ndarray, shared: Sequence[int], every: int = 1) -> np.ndarray:
    """The heads of all layers in a row, on some units alone.

    Args:
        weights: (L, H, U, U).
        shared: The units to keep as keys, P of them.
        every: Of these keep each so many-th as a query, R of them.

    Returns:
        (L * H, R, P); rows sum to what the units kept receive.
    """
    keys = np.asarray(shared)
    queries = keys[::every]
    return weights[..., queries[:, None], keys].reshape(-1, len(queries), len(keys))


def jensen_shannon(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """How differently heads attend: the mean Jensen-Shannon distance between their rows.

    The distance is the square root of the divergence, in base e: 0 where rows are equal,
    sqrt(ln 2) = 0.83 where they share no key. Clark et al. 2019 (section 6) sum the divergence
    itself over tokens, of rows mixed with 0.1 % of a uniform one.

    Args:
        ours: (H1, R, T), of all or some tokens as queries. Rows are divided by their sums first,
            so that heads may be compared on some keys alone; a row of zeros stays one.
        theirs: (H2, R, T) of the same tokens.

    Returns:
        (H1, H2).
    """
    # JS(p, q) = H((p + q) / 2) - (H(p) + H(q)) / 2 (Lin 1991, "Divergence Measures Based on the
    # Shannon Entropy"). In double precision, because near rows leave a small difference of large
    # numbers. A head of ours at a time: all pairs at once would need H1 H2 T T numbers.
    ours, theirs = _distributions(ours), _distributions(theirs)
    ours_entropies, entropies = _entropies(ours), _entropies(theirs)
    rows = zip(ours, ours_entropies, strict=True)
    return np.stack([_mean_distance(head, theirs, own, entropies) for head, own in rows])


def jensen_shannon_among(heads: np.ndarray) -> np.ndarray:
    """The distances of :func:`jensen_shannon` among the heads of one set: (N, R, T) -> (N, N).

    Half of them are computed: a distance is the same both ways.
    """
    heads = _distributions(heads)
    entropies = _entropies(heads)
    distances = np.zeros((len(heads), len(heads)))
    for i in range(len(heads) - 1):
        rest = slice(i + 1, None)
        distances[i, rest] = _mean_distance(heads[i], heads[rest], entropies[i], entropies[rest])
    return distances + distances.T


def jensen_shannon_of_pairs(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The distance of :func:`jensen_shannon` between each head and its counterpart alone.

    Args:
        ours: (..., R, T).
        theirs: (..., R, T), the same heads of another run or model.

    Returns:
        (...,).
    """
    # A head at a time stays in the processor's cache: at 512 tokens a quarter of the time.
    pairs = zip(*(heads.reshape(-1, *heads.shape[-2:]) for heads in (ours, theirs)), strict=True)
    rows = ((_distributions(our), _distributions(their)) for our, their in pairs)
    found = [_mean_distance(p, q, _entropies(p), _entropies(q)) for p, q in rows]
    return np.array(found).reshape(ours.shape[:-2])


def _mean_distance(
    ours: np.ndarray, theirs: np.ndarray, our_entropies: np.ndarray, their_entropies: np.ndarray
) -> np.ndarray:
    """Mean over rows of the distances between them: (..., R, T), (..., R, T) -> (...,).

    The rows' own entropies (..., R) are given, because each row is compared many times.
    """
    middle = _entropies((ours + theirs) / 2)  # (..., R)
    divergences = middle - (our_entropies + their_entropies) / 2
    return np.sqrt(np.maximum(divergences, 0)).mean(axis=-1)


def _distributions(weights: np.ndarray) -> np.ndarray:
    """Rows that sum to 1, in double precision: (..., T) -> (..., T)."""
    rows = weights.astype(np.float64)
    totals = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, totals, out=rows, where=totals > 0)


def best_matches(distances: np.ndarray) -> np.ndarray:
    """The nearest of their heads for each of ours: (H1, H2) -> (H1,) indices into theirs."""
    return distances.argmin(axis=1)
