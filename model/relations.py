"""Which head follows which grammatical relation (Clark et al. 2019, section 4.2).

For each word and the word that it depends on: is the one the word that the other attends to most?
The measure is only worth something beside the best guess that knows no grammar: "the word k places
away".

Axes: L n_layers, H n_heads, W words.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from model.capture import AttentionCapture
from model.loaded import LoadedModel
from model.treebank import Parsed
from model.units import Unit, unit_weights

DIRECTIONS = ("dependent to head", "head to dependent")
FARTHEST = 10
"""Words; no fixed offset beyond it is ever the best guess."""


@dataclass
class Tally:
    """Counts of one relation.

    Attributes:
        pairs: How many pairs of words there were.
        hits: How often each head met them, by direction, (2, L, H).
        offsets: How often the head of the relation stood so many words after its dependent.
    """

    pairs: int = 0
    hits: np.ndarray = field(default_factory=lambda: np.zeros(()))
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
        near = {k: n for k, n in self.offsets.items() if abs(k) <= FARTHEST}
        return sign * max(near, key=lambda k: (near[k], -abs(k)))

    def baseline(self, direction: int, offset: int) -> float:
        """Share of the pairs that a fixed distance would have met."""
        sign = 1 if direction == 0 else -1
        return self.offsets[sign * offset] / self.pairs


def tally(model: LoadedModel, sentences: Iterable[Parsed]) -> dict[str, Tally]:
    """Count, for each relation, what every head meets.

    Sentences beyond the model's length are measured as far as they go.
    """
    tallies: dict[str, Tally] = defaultdict(Tally)
    for sentence in sentences:
        _add(tallies, sentence, model.attend(sentence.text))
    return dict(tallies)


def word_weights(capture: AttentionCapture, sentence: Parsed) -> tuple[np.ndarray, list[int]]:
    """Attention between the words of a treebank's sentence.

    Returns:
        Weights (L, H, W', W'), and which words the rows are: those of which a piece was read.
    """
    pieces: dict[int, list[int]] = defaultdict(list)
    starts = np.array([start for start, _ in sentence.spans])
    for position, (start, end) in enumerate(capture.offsets):
        if not capture.special[position] and end > start:
            pieces[int(np.searchsorted(starts, start, side="right")) - 1].append(position)
    words = sorted(pieces)
    units = [
        Unit(sentence.words[word], tuple(pieces[word]), 0, sentence.spans[word], False)
        for word in words
    ]
    return unit_weights(capture.weights, units), words


def _add(tallies: dict[str, Tally], sentence: Parsed, capture: AttentionCapture) -> None:
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
