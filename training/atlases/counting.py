"""Counts of grammatical relations: does a head attend from a word to its syntactic head, or back?

Axes: L n_layers, H n_heads, W words.
"""

from bisect import bisect_left
from collections import defaultdict

import numpy as np

from model.analysis.grammar.relations import RelationCounts, Tally
from model.analysis.units import Unit, unit_weights
from model.capture.record import AttentionCapture
from training.atlases.treebank import ParsedSentence


def count_sentence(
    counts: RelationCounts, index: int, sentence: ParsedSentence, capture: AttentionCapture
) -> None:
    """Count a sentence of a treebank: even ones, from 0, select, odd ones evaluate."""
    add(counts.evaluation if index % 2 else counts.selection, sentence, capture)


def word_weights(
    capture: AttentionCapture, sentence: ParsedSentence
) -> tuple[np.ndarray, list[int]]:
    """Compute the attention (L, H, W', W') between the W' captured words, and their indices."""
    pieces: dict[int, list[int]] = defaultdict(list)
    ends = [end for _, end in sentence.spans]
    for position, (start, end) in enumerate(capture.offsets):
        if not capture.special[position] and end > start:
            # Use the end: some tokenizers (ALBERT, ModernBERT) count the space before a word as
            # part of its first piece.
            pieces[bisect_left(ends, end)].append(position)
    words = sorted(pieces)
    units = [Unit(sentence.words[i], tuple(pieces[i]), 0, sentence.spans[i], False) for i in words]
    return unit_weights(capture.weights, units), words


def add(tallies: dict[str, Tally], sentence: ParsedSentence, capture: AttentionCapture) -> None:
    """Count the hits of every head in one sentence, without punctuation, by relation."""
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
