"""Grammatical relations that heads follow (Clark et al. 2019, section 4.2).

For each word and its syntactic head: does one attend most to the other? The accuracy is compared
with the best fixed offset ("the word k places away"). Attention head and offset are selected on one
half of a treebank and evaluated on the other, because the best of many heads is biased upwards on
the data that selected it. :mod:`training.atlases.counting` counts the pairs.

Axes: L n_layers, H n_heads.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

DIRECTIONS = ("dependent to head", "head to dependent")
MAX_OFFSET = 10
"""Largest fixed offset, in words."""
MIN_PAIRS = 50
"""Relations with fewer pairs in either half are not reported."""
MIN_LEAD = 0.05
"""A head follows a relation only if its lead over the best fixed offset is larger."""


@dataclass
class Tally:
    """Counts of one relation; ``hits``, (2, L, H): pairs in which one attends most to the other."""

    pairs: int = 0
    hits: np.ndarray = field(default_factory=lambda: np.zeros((), dtype=np.int64))
    offsets: Counter[int] = field(default_factory=Counter)

    def accuracy(self, direction: int, layer: int, head: int) -> float:
        """Share of the pairs that a head hits."""
        return float(self.hits[direction, layer, head]) / self.pairs

    def best(self) -> tuple[int, int, int]:
        """Direction, layer and head with the most hits."""
        direction, layer, head = np.unravel_index(self.hits.argmax(), self.hits.shape)
        return int(direction), int(layer), int(head)

    def best_offset(self, direction: int) -> int:
        """Fixed offset with the most hits, in words from the attending word."""
        sign = 1 if direction == 0 else -1
        candidates = (k for k in range(-MAX_OFFSET, MAX_OFFSET + 1) if k != 0)
        return sign * max(candidates, key=lambda k: (self.offsets[k], -abs(k)))

    def baseline(self, direction: int, offset: int) -> float:
        """Share of the pairs that a fixed offset hits."""
        sign = 1 if direction == 0 else -1
        return self.offsets[sign * offset] / self.pairs


@dataclass(frozen=True)
class FollowedRelation:
    """A head, the relation that it follows (``obj``, ``nsubj``), and the best fixed offset."""

    relation: str
    direction: int
    layer: int
    head: int
    accuracy: float
    offset: int
    baseline: float
    pairs: int

    @property
    def lead(self) -> float:
        """Accuracy above the best fixed offset."""
        return self.accuracy - self.baseline


@dataclass
class RelationCounts:
    """Counts of every relation in two halves of a treebank: its even sentences and its odd ones."""

    selection: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    evaluation: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def frequent(self) -> list[str]:
        """Relations with at least :data:`MIN_PAIRS` pairs in both halves, by name."""
        both = self.selection.keys() & self.evaluation.keys()
        return sorted(
            name
            for name in both
            if min(self.selection[name].pairs, self.evaluation[name].pairs) >= MIN_PAIRS
        )

    def best_heads(self) -> list[FollowedRelation]:
        """For each frequent relation the head with the highest accuracy, sorted by lead.

        Direction, head and offset are selected on one half; the numbers are of the other.
        """
        findings = [self._report(name, *self.selection[name].best()) for name in self.frequent()]
        return sorted(findings, key=lambda finding: -finding.lead)

    def followed_relation(self, layer: int, head: int) -> FollowedRelation | None:
        """Find the relation with a head's largest lead; None if that is at most MIN_LEAD."""
        leads = {
            (name, direction): self._lead(name, direction, layer, head)
            for name in self.frequent()
            for direction in range(len(DIRECTIONS))
        }
        if not leads:
            return None
        name, direction = max(leads, key=lambda key: leads[key])
        finding = self._report(name, direction, layer, head)
        return finding if finding.lead > MIN_LEAD else None

    def _lead(self, name: str, direction: int, layer: int, head: int) -> float:
        selected = self.selection[name]
        baseline = selected.baseline(direction, selected.best_offset(direction))
        return selected.accuracy(direction, layer, head) - baseline

    def _report(self, name: str, direction: int, layer: int, head: int) -> FollowedRelation:
        evaluated = self.evaluation[name]
        offset = self.selection[name].best_offset(direction)
        return FollowedRelation(
            name,
            direction,
            layer,
            head,
            accuracy=evaluated.accuracy(direction, layer, head),
            offset=offset,
            baseline=evaluated.baseline(direction, offset),
            pairs=evaluated.pairs,
        )
