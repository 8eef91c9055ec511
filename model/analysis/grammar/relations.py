"""Grammatical relations that heads follow (Clark et al. 2019, section 4.2).

For each word and its syntactic head: does one attend most to the other? The accuracy is compared
with the best fixed offset ("the word k places away"). Attention head and offset are selected on one
half of a treebank and evaluated on the other, because the best of many heads is biased upwards on
the data that selected it.

Axes: L n_layers, H n_heads, W words.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from model.analysis.grammar.treebank import ParsedSentence
from model.analysis.units import Unit, unit_weights
from model.capture.record import AttentionCapture
from model.catalogue.loaded_model import LoadedModel

DIRECTIONS = ("dependent to head", "head to dependent")
MAX_OFFSET = 10
"""Largest fixed offset, in words."""
MIN_PAIRS = 50
"""Relations with fewer pairs in either half are not reported."""
MIN_LEAD = 0.05
"""A head follows a relation only if its lead over the best fixed offset is larger."""


@dataclass
class Tally:
    """Counts of one relation.

    Attributes:
        hits: Pairs in which one word attends most to the other, by direction, (2, L, H).
        offsets: Number of pairs by distance, in words from the dependent to its head.
    """

    pairs: int = 0
    hits: np.ndarray = field(default_factory=lambda: np.zeros((), dtype=np.int64))
    offsets: Counter[int] = field(default_factory=Counter)

    def accuracy(self, direction: int, layer: int, head: int) -> float:
        """Share of the pairs that a head hits.

        Args:
            direction: Index into :data:`DIRECTIONS`.
        """
        return float(self.hits[direction, layer, head]) / self.pairs

    def best(self) -> tuple[int, int, int]:
        """Direction, layer and head with the most hits."""
        direction, layer, head = np.unravel_index(self.hits.argmax(), self.hits.shape)
        return int(direction), int(layer), int(head)

    def best_offset(self, direction: int) -> int:
        """Fixed offset with the most hits, in words from the attending word.

        Args:
            direction: Index into :data:`DIRECTIONS`.
        """
        sign = 1 if direction == 0 else -1
        candidates = (k for k in range(-MAX_OFFSET, MAX_OFFSET + 1) if k != 0)
        return sign * max(candidates, key=lambda k: (self.offsets[k], -abs(k)))

    def baseline(self, direction: int, offset: int) -> float:
        """Share of the pairs that a fixed offset hits.

        Args:
            direction: Index into :data:`DIRECTIONS`.
        """
        sign = 1 if direction == 0 else -1
        return self.offsets[sign * offset] / self.pairs


@dataclass(frozen=True)
class Finding:
    """A head, the relation that it follows, and the fixed offset it is compared with.

    Attributes:
        relation: ``obj``, ``nsubj``, ...
        direction: Which word attends, an index into :data:`DIRECTIONS`: 0 dependent, 1 its head.
        accuracy: Share of the pairs in which one word attends most to the other.
    """

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
    """Counts of every relation in a treebank, its sentences split alternately into two halves.

    Attributes:
        selection: Half for selection: sentences 0, 2, ...
        evaluation: Half for evaluation: sentences 1, 3, ...
    """

    selection: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    evaluation: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def add(self, index: int, sentence: ParsedSentence, capture: AttentionCapture) -> None:
        """Count one sentence.

        Args:
            index: Index in the treebank, from 0.
        """
        add(self.evaluation if index % 2 else self.selection, sentence, capture)

    def rare(self) -> list[str]:
        """Relations with fewer than :data:`MIN_PAIRS` pairs in a half, by name."""
        return sorted((self.selection.keys() | self.evaluation.keys()) - set(self.frequent()))

    def frequent(self) -> list[str]:
        """Relations with at least :data:`MIN_PAIRS` pairs in both halves, by name."""
        both = self.selection.keys() & self.evaluation.keys()
        return sorted(
            name
            for name in both
            if min(self.selection[name].pairs, self.evaluation[name].pairs) >= MIN_PAIRS
        )

    def best_heads(self) -> list[Finding]:
        """For each frequent relation the head with the highest accuracy, sorted by lead.

        Direction, head and offset are selected on one half; the numbers are of the other.
        """
        findings = [self._report(name, *self.selection[name].best()) for name in self.frequent()]
        return sorted(findings, key=lambda finding: -finding.lead)

    def followed_relation(self, layer: int, head: int) -> Finding | None:
        """Find the relation that a head follows best.

        It is the frequent relation, in either direction, with the largest lead over the best fixed
        offset in the half for selection.

        Returns:
            None if the lead in the other half is not above :data:`MIN_LEAD`.
        """
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

    def _report(self, name: str, direction: int, layer: int, head: int) -> Finding:
        evaluated = self.evaluation[name]
        offset = self.selection[name].best_offset(direction)
        return Finding(
            name,
            direction,
            layer,
            head,
            accuracy=evaluated.accuracy(direction, layer, head),
            offset=offset,
            baseline=evaluated.baseline(direction, offset),
            pairs=evaluated.pairs,
        )


def tally(model: LoadedModel, sentences: Iterable[ParsedSentence]) -> RelationCounts:
    """Count the hits of every head for every relation.

    A sentence beyond the model's length is measured up to that length.
    """
    counts = RelationCounts()
    for index, sentence in enumerate(sentences):
        counts.add(index, sentence, model.attend(sentence.text))
    return counts


def word_weights(
    capture: AttentionCapture, sentence: ParsedSentence
) -> tuple[np.ndarray, list[int]]:
    """Compute the attention between the words of a treebank's sentence.

    Returns:
        Weights (L, H, W', W'), and the indices of the W' words with at least one captured token.
    """
    pieces: dict[int, list[int]] = defaultdict(list)
    ends = [end for _, end in sentence.spans]
    for position, (start, end) in enumerate(capture.offsets):
        if not capture.special[position] and end > start:
            # Use the end: some tokenizers (ALBERT, ModernBERT) count the space before a word as
            # part of its first piece.
            pieces[bisect_left(ends, end)].append(position)
    words = sorted(pieces)
    units = [
        Unit(sentence.words[word], tuple(pieces[word]), 0, sentence.spans[word], False)
        for word in words
    ]
    return unit_weights(capture.weights, units), words


def add(tallies: dict[str, Tally], sentence: ParsedSentence, capture: AttentionCapture) -> None:
    """Count the hits of every head in one sentence, without punctuation.

    Args:
        tallies: Counts by relation; a ``defaultdict`` if the relations are not known in advance.
        capture: Capture of its :attr:`~model.analysis.grammar.treebank.ParsedSentence.text`.
    """
    weights, words = word_weights(capture, sentence)
    if not words:
        return
    rows = {word: row for row, word in enumerate(words)}
    diagonal = np.eye(len(words), dtype=bool)
    # No word is its own head. (L, H, W', W') -> (L, H, W')
    targets = np.where(diagonal, -1, weights).argmax(axis=-1)
    for word, (head, relation) in enumerate(zip(sentence.heads, sentence.relations, strict=True)):
        if head < 0 or relation == "punct" or word not in rows or head not in rows:
            continue
        counts = tallies[relation]
        counts.pairs += 1
        hits = (targets[..., rows[word]] == rows[head], targets[..., rows[head]] == rows[word])
        counts.hits = counts.hits + np.stack(hits)  # 2 x (L, H) -> (2, L, H)
        counts.offsets[head - word] += 1
