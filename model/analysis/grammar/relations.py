"""Which head follows which grammatical relation (Clark et al. 2019, section 4.2).

For each word and the word that it depends on: is the one the word that the other attends to most?
The measure is only worth something beside the best guess that knows no grammar: "the word k places
away". Both are chosen on one half of a treebank and reported on the other: where it was chosen, the
best of many heads looks better than it is.

Axes: L n_layers, H n_heads, W words.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from model.analysis.grammar.treebank import Parsed
from model.analysis.units import Unit, unit_weights
from model.capture.record import AttentionCapture
from model.catalogue.loaded import LoadedModel

DIRECTIONS = ("dependent to head", "head to dependent")
FARTHEST = 10
"""Words; no fixed offset beyond it is ever the best guess."""
RARE = 50
"""Pairs: relations that occur less often in either half are not reported."""
LEAD = 0.05
"""A head that gains no more over the best fixed offset is not said to follow a relation."""


@dataclass
class Tally:
    """Counts of one relation.

    Attributes:
        pairs: How many pairs of words there were.
        hits: How often each head met them, by direction, (2, L, H).
        offsets: How often the head of the relation stood so many words after its dependent.
    """

    pairs: int = 0
    hits: np.ndarray = field(default_factory=lambda: np.zeros((), dtype=np.int64))
    offsets: Counter[int] = field(default_factory=Counter)

    def accuracy(self, direction: int, layer: int, head: int) -> float:
        """Share of the pairs that a head met."""
        return float(self.hits[direction, layer, head]) / self.pairs

    def best(self) -> tuple[int, int, int]:
        """The direction, layer and head that met most."""
        direction, layer, head = np.unravel_index(self.hits.argmax(), self.hits.shape)
        return int(direction), int(layer), int(head)

    def best_offset(self, direction: int) -> int:
        """The fixed distance, from the word that attends, that would have met most."""
        sign = 1 if direction == 0 else -1
        near = (k for k in range(-FARTHEST, FARTHEST + 1) if k != 0)
        return sign * max(near, key=lambda k: (self.offsets[k], -abs(k)))

    def baseline(self, direction: int, offset: int) -> float:
        """Share of the pairs that a fixed distance would have met."""
        sign = 1 if direction == 0 else -1
        return self.offsets[sign * offset] / self.pairs


@dataclass(frozen=True)
class Finding:
    """A head, the relation that it follows, and the fixed distance that it has to beat.

    Attributes:
        relation: ``obj``, ``nsubj``, ...
        direction: Which word attends, as in :data:`DIRECTIONS`: 0 the dependent, 1 its head.
        layer: Of the head.
        head: Within its layer.
        accuracy: Share of the pairs in which the one word attends most to the other.
        offset: The fixed distance, in words from the one that attends.
        baseline: Share of the pairs that it meets.
        pairs: How many there were.
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
        """What the head knows beyond a distance."""
        return self.accuracy - self.baseline


@dataclass
class Halves:
    """Counts of every relation in a treebank, its sentences dealt out in turn.

    Attributes:
        chosen: On the first, the third, ...: what to look at is chosen here.
        reported: On those between: how well it does is said of these.
    """

    chosen: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    reported: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def add(self, index: int, sentence: Parsed, capture: AttentionCapture) -> None:
        """Count the treebank's next sentence, the index-th from 0."""
        add(self.reported if index % 2 else self.chosen, sentence, capture)

    def frequent(self) -> list[str]:
        """The relations that are not rare in either half, by name."""
        both = self.chosen.keys() & self.reported.keys()
        return sorted(
            name for name in both if min(self.chosen[name].pairs, self.reported[name].pairs) >= RARE
        )

    def best_heads(self) -> list[Finding]:
        """For each relation the head that meets it most, the largest lead first.

        Of relations that are frequent enough; direction, head and offset chosen on the one half.
        """
        found = [self._report(name, *self.chosen[name].best()) for name in self.frequent()]
        return sorted(found, key=lambda finding: -finding.lead)

    def follows(self, layer: int, head: int) -> Finding | None:
        """The relation that a head follows best, or None if it follows none.

        Of the relations that are frequent enough, in both directions, the one on which the head
        has the largest lead over the best fixed offset in the half to choose on. It is none if the
        lead in the other half is no more than :data:`LEAD`.
        """
        leads = {
            (name, direction): self._lead(name, direction, layer, head)
            for name in self.frequent()
            for direction in range(len(DIRECTIONS))
        }
        if not leads:
            return None
        name, direction = max(leads, key=lambda key: leads[key])
        found = self._report(name, direction, layer, head)
        return found if found.lead > LEAD else None

    def _lead(self, name: str, direction: int, layer: int, head: int) -> float:
        here = self.chosen[name]
        baseline = here.baseline(direction, here.best_offset(direction))
        return here.accuracy(direction, layer, head) - baseline

    def _report(self, name: str, direction: int, layer: int, head: int) -> Finding:
        there = self.reported[name]
        offset = self.chosen[name].best_offset(direction)
        return Finding(
            name,
            direction,
            layer,
            head,
            accuracy=there.accuracy(direction, layer, head),
            offset=offset,
            baseline=there.baseline(direction, offset),
            pairs=there.pairs,
        )


def tally(model: LoadedModel, sentences: Iterable[Parsed]) -> Halves:
    """Count, for each relation, what every head meets.

    Sentences beyond the model's length are measured as far as they go.
    """
    halves = Halves()
    for index, sentence in enumerate(sentences):
        halves.add(index, sentence, model.attend(sentence.text))
    return halves


def word_weights(capture: AttentionCapture, sentence: Parsed) -> tuple[np.ndarray, list[int]]:
    """Attention between the words of a treebank's sentence.

    Returns:
        Weights (L, H, W', W'), and which words the rows are: those of which a piece was read.
    """
    pieces: dict[int, list[int]] = defaultdict(list)
    ends = [end for _, end in sentence.spans]
    for position, (start, end) in enumerate(capture.offsets):
        if not capture.special[position] and end > start:
            # By where it ends: some tokenizers (ALBERT, ModernBERT) count the space before a word
            # as part of its first piece.
            pieces[bisect_left(ends, end)].append(position)
    words = sorted(pieces)
    units = [
        Unit(sentence.words[word], tuple(pieces[word]), 0, sentence.spans[word], False)
        for word in words
    ]
    return unit_weights(capture.weights, units), words


def add(tallies: dict[str, Tally], sentence: Parsed, capture: AttentionCapture) -> None:
    """Count what every head meets in one sentence, punctuation apart.

    Args:
        tallies: By relation; a ``defaultdict`` where they are not known beforehand.
        sentence: Its grammar.
        capture: Of its :attr:`~model.analysis.grammar.treebank.Parsed.text`.
    """
    weights, words = word_weights(capture, sentence)
    if not words:
        return
    place = {word: row for row, word in enumerate(words)}
    itself = np.eye(len(words), dtype=bool)
    most = np.where(itself, -1, weights).argmax(axis=-1)  # (L, H, W'): no word is its own head
    for word, (head, relation) in enumerate(zip(sentence.heads, sentence.relations, strict=True)):
        if head < 0 or relation == "punct" or word not in place or head not in place:
            continue
        found = tallies[relation]
        found.pairs += 1
        met = (most[..., place[word]] == place[head], most[..., place[head]] == place[word])
        found.hits = found.hits + np.stack(met)
        found.offsets[head - word] += 1
