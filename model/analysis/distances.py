"""Jensen-Shannon distances between attention heads (Clark et al. 2019, section 6).

Axes: L n_layers, H n_heads, U units, T tokens, R compared rows. Rows attend and sum to 1.
"""

from collections.abc import Sequence

import numpy as np

from model.analysis.units import check_one_sequence
from model.analysis.weight_statistics import row_entropies
from model.errors import HeadlightError


def shared_heads(weights: np.ndarray, shared: Sequence[int], stride: int = 1) -> np.ndarray:
    """Flatten the heads of all layers and restrict them to some units: (L * H, R, P).

    Every ``stride``-th unit is also kept as a query, R in all.
    """
    check_one_sequence(weights)
    keys = np.asarray(shared)
    queries = keys[::stride]
    selected = weights[..., queries[:, None], keys]  # (L, H, U, U) -> (L, H, R, P)
    return selected.reshape(-1, len(queries), len(keys))  # -> (L * H, R, P)


def query_stride(n_pairs: int, n_keys: int, max_weights: int) -> int:
    """Compute the ``stride`` of :func:`shared_heads` for at most ``max_weights`` weights."""
    return max(1, -(-n_pairs * n_keys**2 // max_weights))


def jensen_shannon(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Compute the mean Jensen-Shannon distance between the rows of heads: (H1, H2).

    The distance is the square root of the divergence, in base 2: 0 for equal rows, 1 for rows
    without a common key. Clark et al. 2019 (section 6) sum the divergence itself over tokens, of
    rows mixed with 0.1 % of a uniform one.

    Args:
        ours: (H1, R, T), with all or some tokens as queries. Rows are first divided by their sums,
            so that heads can be compared on some keys only; a row of zeros stays zero.
        theirs: (H2, R, T) of the same tokens.
    """
    # JS(p, q) = H((p + q) / 2) - (H(p) + H(q)) / 2 (Lin 1991, "Divergence Measures Based on the
    # Shannon Entropy"). Double precision, because similar rows leave a small difference of large
    # numbers. One of our heads at a time: all pairs together would need H1 H2 R T numbers.
    ours, theirs = _distributions(ours), _distributions(theirs)
    our_entropies, their_entropies = row_entropies(ours), row_entropies(theirs)
    rows = zip(ours, our_entropies, strict=True)  # H1 x (H2,) -> (H1, H2)
    return np.stack([_mean_distance(head, theirs, own, their_entropies) for head, own in rows])


def js_distance(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """:func:`jensen_shannon` of heads and counterparts of the same shape, (..., R, T) -> (...,)."""
    if ours.shape != theirs.shape:
        raise HeadlightError(
            "Heads of the shapes {ours} and {theirs} have no distance. Compare the same tokens.",
            ours=str(ours.shape),
            theirs=str(theirs.shape),
        )
    # One head at a time fits in the processor's cache: at 512 tokens a quarter of the time.
    # (..., R, T) -> (N, R, T)
    pairs = zip(*(heads.reshape(-1, *heads.shape[-2:]) for heads in (ours, theirs)), strict=True)
    rows = ((_distributions(our), _distributions(their)) for our, their in pairs)
    distances = [_mean_distance(p, q, row_entropies(p), row_entropies(q)) for p, q in rows]
    return np.array(distances).reshape(ours.shape[:-2])  # (N,) -> (...,)


def _mean_distance(
    ours: np.ndarray, theirs: np.ndarray, our_entropies: np.ndarray, their_entropies: np.ndarray
) -> np.ndarray:
    """Mean distance of rows, (..., R, T) -> (...,); each entropy serves many pairs."""
    middle = row_entropies((ours + theirs) / 2)  # (..., R)
    divergences = middle - (our_entropies + their_entropies) / 2
    return np.sqrt(np.maximum(divergences, 0) / np.log(2)).mean(axis=-1)


def _distributions(weights: np.ndarray) -> np.ndarray:
    """Scale rows to a sum of 1, in double precision: (..., T) -> (..., T)."""
    rows = weights.astype(np.float64)
    totals = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, totals, out=rows, where=totals > 0)
