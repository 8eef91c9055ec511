"""Heads as points: the nearer two of them lie, the more alike they attend.

Clark et al. 2019, section 6, figure 6: multidimensional scaling of Jensen-Shannon distances.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.manifold import ClassicalMDS

from model.analysis.distances import jensen_shannon_among


@dataclass(frozen=True)
class HeadMap:
    """Heads in the plane.

    Attributes:
        points: (N, 2), in the order of the heads.
        distances: (N, N), what the map is a picture of: 0 to 0.83; see
            :func:`model.analysis.distances.jensen_shannon`.
        faithful: The correlation between the distances and those on the map: 1 if the picture
            keeps all of them; not a number if all heads are equally far from one another.
    """

    points: np.ndarray
    distances: np.ndarray
    faithful: float


def head_map(heads: np.ndarray) -> HeadMap:
    """Lay heads out in the plane by how they attend.

    Classical scaling (Torgerson 1952): always the same picture for the same heads, in one step.

    Args:
        heads: (N, R, T), N at least 3.
    """
    distances = jensen_shannon_among(heads)
    points = ClassicalMDS(n_components=2, metric="precomputed").fit_transform(distances)
    # Each axis may point either way: the head farthest out lies on its positive side, so that the
    # same heads give the same picture.
    for axis in range(2):
        farthest = np.abs(points[:, axis]).argmax()
        points[:, axis] *= np.sign(points[farthest, axis]) or 1
    apart = np.linalg.norm(points[:, None] - points, axis=-1)  # (N, N)
    above = np.triu_indices(len(heads), k=1)
    true, drawn = distances[above], apart[above]
    constant = np.ptp(true) < 1e-9 or np.ptp(drawn) < 1e-9  # heads all alike: no correlation
    faithful = np.nan if constant else float(np.corrcoef(true, drawn)[0, 1])
    return HeadMap(points, distances, faithful)
