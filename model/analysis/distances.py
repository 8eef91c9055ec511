"""Which heads attend alike: Jensen-Shannon distances between their rows.

Axes: L n_layers, H n_heads, T tokens, R rows compared. Rows attend, and sum to 1.

Clark et al. 2019, "What Does BERT Look At?", section 6.
"""

from collections.abc import Sequence

import numpy as np

from model.analysis.measures import row_entropies
from model.analysis.units import check_one_sequence


def shared_heads(weights: np.ndarray, shared: Sequence[int], every: int = 1) -> np.ndarray:
    """The heads of all layers in a row, on some units alone.

    Args:
        weights: (L, H, U, U).
        shared: The units to keep as keys, P of them.
        every: Of these keep each so many-th as a query, R of them.

    Returns:
        (L * H, R, P); rows sum to what the units kept receive.

    Raises:
        HeadlightError: If units attend to those of another sequence.
    """
    check_one_sequence(weights)
    keys = np.asarray(shared)
    queries = keys[::every]
    return weights[..., queries[:, None], keys].reshape(-1, len(queries), len(keys))


def rows_apart(n_pairs: int, n_keys: int, most: int) -> int:
    """Of how many rows one is to be compared, so that long sentences do not take seconds.

    Args:
        n_pairs: Of heads that are compared.
        n_keys: Units that both have, each a row and a key.
        most: Weights that may be compared: each pair of heads compares rows times keys of them.

    Returns:
        The ``every`` of :func:`shared_heads`: 1 if all rows may be compared.
    """
    return max(1, -(-n_pairs * n_keys**2 // most))


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
    ours_entropies, entropies = row_entropies(ours), row_entropies(theirs)
    rows = zip(ours, ours_entropies, strict=True)
    return np.stack([_mean_distance(head, theirs, own, entropies) for head, own in rows])


def jensen_shannon_among(heads: np.ndarray) -> np.ndarray:
    """The distances of :func:`jensen_shannon` among the heads of one set: (N, R, T) -> (N, N).

    Half of them are computed: a distance is the same both ways.
    """
    heads = _distributions(heads)
    entropies = row_entropies(heads)
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
    found = [_mean_distance(p, q, row_entropies(p), row_entropies(q)) for p, q in rows]
    return np.array(found).reshape(ours.shape[:-2])


def _mean_distance(
    ours: np.ndarray, theirs: np.ndarray, our_entropies: np.ndarray, their_entropies: np.ndarray
) -> np.ndarray:
    """Mean over rows of the distances between them: (..., R, T), (..., R, T) -> (...,).

    The rows' own entropies (..., R) are given, because each row is compared many times.
    """
    middle = row_entropies((ours + theirs) / 2)  # (..., R)
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
