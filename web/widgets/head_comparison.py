"""Comparison of the heads of two sides on the units that both have; see shared_cache.py."""

from typing import TYPE_CHECKING

import numpy as np

from model.analysis.align import align
from model.analysis.distances import jensen_shannon, shared_heads
from web.cache.shared_cache import shared
from web.widgets.sides import SideRequest

if TYPE_CHECKING:  # importing scikit-learn takes 2 seconds, and the Layers page does not need it
    from model.analysis.headmap import HeadMap

COMPARED_BYTES = 32 * 1024**2


@shared(COMPARED_BYTES)
def distances(left: SideRequest, right: SideRequest, every: int) -> np.ndarray:
    """Return the distance of every left head to every right head: (R, C).

    Args:
        left: The side with R heads.
        right: The side with C heads.
        every: Compare only every n-th shared unit's row.

    Raises:
        HeadlightError: If the sides have no unit in common.
    """
    return jensen_shannon(*_heads(left, right, every))


@shared(COMPARED_BYTES)
def head_map(left: SideRequest, right: SideRequest, every: int) -> "HeadMap":
    """Return the positions of all heads of both sides in the plane.

    Args:
        left: The side whose heads come first.
        right: The other side.
        every: Compare only every n-th shared unit's row.

    Raises:
        HeadlightError: If the sides have no unit in common.
    """
    from model.analysis.headmap import head_map as lay_out

    return lay_out(np.concatenate(_heads(left, right, every)))


def _heads(left: SideRequest, right: SideRequest, every: int) -> tuple[np.ndarray, np.ndarray]:
    """Return each side's heads, (R, Q, P) and (C, Q, P): P shared units, Q of them compared."""
    ours, theirs = left.view(), right.view()
    pairs = align(ours.units, theirs.units).pairs
    return (
        shared_heads(ours.token_weights(ours.capture.weights), [i for i, _j in pairs], every),
        shared_heads(theirs.token_weights(theirs.capture.weights), [j for _i, j in pairs], every),
    )
