"""Map of heads in the plane, in which similar heads are close.

Clark et al. 2019, section 6, figure 6: multidimensional scaling of Jensen-Shannon distances.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.manifold import ClassicalMDS

from model.analysis.distances import jensen_shannon_among


@dataclass(frozen=True)
class HeadMap:
    """Heads as points in the plane.

    Attributes:
        points: (N, 2), in the order of the heads.
        distances: (N, N), the true distances, 0 to 0.83; see
            :func:`model.analysis.distances.jensen_shannon`.
        correlation: Correlation of the true distances with those on the map. 1: the map is exact;
            NaN: all heads are equally far apart.
    """

    points: np.ndarray
    distances: np.ndarray
    correlation: float


def head_map(heads: np.ndarray) -> HeadMap:
    """Place heads in the plane by their Jensen-Shannon distances.

    Classical scaling (Torgerson 1952) is deterministic: the same heads give the same map.

    Args:
        heads: (N, R, T), N at least 3.
    """
    distances = jensen_shannon_among(heads)
    points = ClassicalMDS(n_components=2, metric="precomputed").fit_transform(distances)
    # The sign of an axis is arbitrary. The farthest head gets a positive coordinate, so that the
    # same heads always give the same picture.
    for axis in range(2):
        farthest = np.abs(points[:, axis]).argmax()
        points[:, axis] *= np.sign(points[farthest, axis]) or 1
    map_distances = np.linalg.norm(points[:, None] - points, axis=-1)  # (N, 2) -> (N, N)
    upper = np.triu_indices(len(heads), k=1)
    true, drawn = distances[upper], map_distances[upper]
    constant = np.ptp(true) < 1e-9 or np.ptp(drawn) < 1e-9  # correlation is undefined
    correlation = np.nan if constant else float(np.corrcoef(true, drawn)[0, 1])
    return HeadMap(points, distances, correlation)
