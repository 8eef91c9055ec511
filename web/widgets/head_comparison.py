"""Comparison of the heads of two sides on the words that both have; see shared_cache.py."""

from model.analysis.align import align
from model.analysis.distances import jensen_shannon, query_stride, shared_heads
from web.cache.shared_cache import MB, shared
from web.inference.operations import array_turn
from web.language import _
from web.subject import Subject

NEAREST_COMPARED = 8_000_000
"""Weights compared for one head: at most 64 MB in double precision, and 0.2 s on one core."""


def compared_units(one: Subject, other: Subject) -> list[tuple[int, int]]:
    """Return the units of both sides on which heads are compared; see :func:`most_similar`."""
    for view in (one, other):
        view.capture().check_every_layer()
    mine, others = ([i for i, rests in enumerate(side.rests) if not rests] for side in (one, other))
    pairs = align([one.units[i] for i in mine], [other.units[j] for j in others]).pairs
    return [(mine[i], others[j]) for i, j in pairs]


@shared(32 * MB)
def most_similar(
    one: Subject, head: tuple[int, int], other: Subject
) -> tuple[tuple[int, int], float]:
    """Return the layer and head of another side that attends most like a head, and the distance.

    The mean Jensen-Shannon distance of the rows, from 0 to 1, between the words that both sides
    have. Units where many heads rest are left out as rows and as columns, and the rest of a row is
    scaled to sum to 1: most heads give special tokens so much that they would all be alike.

    A HeadlightError if the sides have no word in common, or some layers no attention.
    """
    pairs = compared_units(one, other)
    n_layers, n_heads, *_shape = other.capture().weights.shape
    every = query_stride(n_layers * n_heads, len(pairs), NEAREST_COMPARED)
    ours = one.between_units(one.capture().weights[head])[None, None]  # (U, U) -> (1, 1, U, U)
    theirs = other.between_units(other.capture().weights)
    with array_turn(theirs.size):
        found = jensen_shannon(
            shared_heads(ours, [i for i, _j in pairs], every),
            shared_heads(theirs, [j for _i, j in pairs], every),
        )[0]  # (L * H,)
    nearest = int(found.argmin())
    return divmod(nearest, n_heads), float(found[nearest])


def no_correspondence() -> str:
    """Return the sentence that heads with equal numbers are not counterparts."""
    return _(
        "Each model numbers its layers and heads independently: equal numbers do not mean equal "
        "roles."
    )
