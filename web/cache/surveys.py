"""Surveys of a data set: every head of a model on every text, computed one batch at a time."""

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from model import LoadedModel
from model.analysis.grammar.relations import RelationCounts
from model.analysis.survey.heads_off import Effect
from model.analysis.survey.table import applicable, quantiles, to_frame
from model.catalogue.loaded_model import same_lengths
from web.cache import loaded_models
from web.cache.shared_cache import shared
from web.inference import operations
from web.inference.operations import compute

if TYPE_CHECKING:
    import pandas as pd

SURVEY_BYTES = 256 * 1024**2

MOST_TEXTS = 2_000
MOST_NUMBERS = 4_000_000
"""Numbers of one survey: 16 MB. A model with more heads gets fewer texts."""

MOST_PASSES = 20_000
"""Passes of one text through the model, for heads that are switched off."""

TOGETHER = 64
"""Texts whose equal lengths share a batch. Then a stopped survey has read the first texts."""

BATCH_SIZE = 8
BATCH_WEIGHTS = 16_000_000
"""Attention weights of a batch of several texts: 64 MB."""

CHANGE = "change"
"""Column of an effect: without the head minus with all heads."""


class Survey:
    """A survey, shared by all sessions that read the same texts.

    No background thread computes: a session that shows the survey computes the next batch. An
    interrupted run leaves its batches, and the next run continues after them.

    Attributes:
        texts: The texts, N of them.
        columns: Keys of the numbers, M of them.
        finished: Indices of the finished texts.
        trees: Tree of each text, length N or 0.
        relations: Relation counts of the finished texts.
    """

    def __init__(
        self,
        model: LoadedModel,
        texts: tuple[str, ...],
        effect: Effect | None,
        words: Sequence[str],
        trees: tuple[str, ...] = (),
    ) -> None:
        """Plan a survey.

        Args:
            model: An encoder or a decoder.
            texts: The texts.
            effect: What switched-off heads change; None measures the heads instead.
            words: Words of the effect.
            trees: Tree of each text, or nothing; see
                :func:`model.analysis.grammar.treebank.with_tree`.

        Raises:
            HeadlightError: If a text has no tokens.
        """
        # The name alone, so that the cache can evict the model.
        self._model, self._effect, self._words = model.name, effect, tuple(words)
        self.texts, self.trees = texts, trees
        self.relations = RelationCounts()
        self.columns = ("unchanged", "off") if effect else tuple(applicable(model, None))
        shape = (len(texts), len(self.columns), model.n_layers, model.n_heads)
        self._values = np.full(shape, np.nan, dtype=np.float32)
        self.finished: list[int] = []
        self._steps = list(_steps(model, texts, by_layer=effect is not None))
        costs = [cost for _indices, _layer, cost in self._steps]
        self._costs = np.cumsum([0, *costs])  # (S + 1,) tokens before each step
        self._position = 0
        self._quantiles: dict[str, tuple[int, pd.DataFrame]] = {}
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Size of the numbers in bytes."""
        return self._values.nbytes

    @property
    def share(self) -> float:
        """Share of the work that is done, from 0 to 1."""
        return float(self._costs[self._position] / self._costs[-1])

    @property
    def complete(self) -> bool:
        """Whether every text is finished."""
        return self._position == len(self._steps)

    def advance(self) -> None:
        """Compute the next batch in a turn of the queue; nothing if all are computed.

        Raises:
            BusyError: If the turn is not granted.
            HeadlightError: As :mod:`model.analysis.survey` raises it.
        """
        with self._lock:
            if self.complete:
                return
            indices, layer, _cost = self._steps[self._position]
            texts = tuple(self.texts[i] for i in indices)
            model = loaded_models.loaded_model(self._model)
            if self.trees:
                trees = tuple(self.trees[i] for i in indices)
                self._values[indices], relations = compute(
                    operations.measure_trees, model, texts, self.columns, tuple(indices), trees
                )
                self.relations.merge(relations)
            elif self._effect is None:
                self._values[indices] = compute(operations.measure, model, texts, self.columns)
            else:
                found = compute(
                    operations.switch_off, model, texts, self._effect, self._words, layer
                )
                self._values[indices, :, layer] = found[:, :, 0]  # (n, 2, 1, H) -> (n, 2, H)
            if layer == self._values.shape[2] - 1:
                self.finished += indices
            self._position += 1

    def means(self) -> dict[str, np.ndarray]:
        """Return the mean of each number over the finished texts, (L, H); NaN without one."""
        rows = sorted(self.finished)
        found = {}
        for name in self.columns:
            values = self._column(name, rows).astype(float)  # (n, L, H)
            count = (~np.isnan(values)).sum(axis=0)  # (n, L, H) -> (L, H)
            total = np.nansum(values, axis=0)  # (n, L, H) -> (L, H)
            found[name] = np.divide(total, count, np.full_like(total, np.nan), where=count > 0)
        return found

    def frame(self, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return the numbers of the finished texts; see :func:`model.analysis.survey.survey`.

        Args:
            columns: Keys of the wanted numbers; by default all, and of an effect :data:`CHANGE`.
        """
        change = () if self._effect is None else (CHANGE,)
        wanted = tuple(columns or (*self.columns, *change))
        rows = sorted(self.finished)
        # M x (n, L, H) -> (n, M, L, H)
        values = np.stack([self._column(name, rows) for name in wanted], axis=1)
        table = to_frame(values, [self.texts[i] for i in rows], wanted)
        table["sentence"] = np.array(rows)[table["sentence"]]
        return table

    def of_head(self, column: str, layer: int, head: int) -> tuple[list[str], np.ndarray]:
        """Return the finished texts to which a number applies, and their values of one head.

        Args:
            column: Key of the number.
            layer: Index of the layer.
            head: Index of the head in the layer.

        Returns:
            The texts, n of them, and their values, (n,).
        """
        rows = sorted(self.finished)
        values = self._column(column, rows)[:, layer, head]
        valid = np.flatnonzero(~np.isnan(values))
        return [self.texts[rows[i]] for i in valid], values[valid]

    def _column(self, name: str, rows: list[int]) -> np.ndarray:
        """One number of the heads on some texts, (n, L, H)."""
        if name == CHANGE:
            return self._column("off", rows) - self._column("unchanged", rows)
        values: np.ndarray = self._values[rows, self.columns.index(name)]
        return values

    def quantiles(self, column: str) -> "pd.DataFrame":
        """Return the distribution of a number for each head; see :func:`quantiles`.

        Args:
            column: Its key.
        """
        position, found = self._quantiles.get(column, (-1, None))
        if found is None or position != self._position:
            position = self._position
            found = quantiles(self.frame([column]), column)
            self._quantiles[column] = position, found
        return found


def _steps(
    model: LoadedModel, texts: Sequence[str], *, by_layer: bool
) -> Iterator[tuple[list[int], int, int]]:
    """Yield the batches: indices of texts, the layer or the last layer, and the cost in tokens."""
    n_heads = model.n_layers * model.n_heads
    layers = range(model.n_layers) if by_layer else [model.n_layers - 1]
    for start in range(0, len(texts), TOGETHER):
        tokens = [model.tokenize(text) for text in texts[start : start + TOGETHER]]
        for group in same_lengths(tokens, BATCH_SIZE):
            length = len(tokens[group[0]].ids)
            size = max(1, BATCH_WEIGHTS // (n_heads * length**2))
            for first in range(0, len(group), size):
                batch = [start + i for i in group[first : first + size]]
                yield from ((batch, layer, length * len(batch)) for layer in layers)


def most_texts(model: LoadedModel, effect: Effect | None) -> int:
    """Return how many texts a survey may have.

    Args:
        model: The model.
        effect: See :class:`Survey`.
    """
    n_heads = model.n_layers * model.n_heads
    if effect is not None:
        return max(1, min(MOST_TEXTS, MOST_PASSES // n_heads))
    return max(1, min(MOST_TEXTS, MOST_NUMBERS // (n_heads * len(applicable(model, None)))))


@shared(SURVEY_BYTES)
def survey(
    name: str,
    texts: tuple[str, ...],
    effect: Effect | None = None,
    words: tuple[str, ...] = (),
    trees: tuple[str, ...] = (),
) -> Survey:
    """Return the survey of some texts, shared by all sessions.

    Args:
        name: Name of the model.
        texts: The texts.
        effect: See :class:`Survey`.
        words: Words of the effect.
        trees: See :class:`Survey`; empty with an effect.

    Raises:
        HeadlightError: As :class:`Survey` does.
    """
    return Survey(loaded_models.loaded_model(name), texts, effect, words, trees)
