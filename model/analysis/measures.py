"""Measures of a capture's heads: statistics of their weights, and the tokens that count for each.

Axes: L n_layers, H n_heads, T tokens.
"""

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from model.analysis.induction import duplicates, first_token, prefix_matching
from model.analysis.units import check_own_keys, unknown_text
from model.analysis.weight_statistics import (
    distance,
    row_entropies,
    share_at_offset,
    share_on,
    share_on_same,
)
from model.capture.record import AttentionCapture
from model.capture.sites import Stack
from model.capture.tokens import known_special


@dataclass(frozen=True, eq=False)
class Heads:
    """All heads of a capture, and what several measures need of them."""

    capture: AttentionCapture

    @property
    def first_query(self) -> int:
        """First token that counts as a query: 1 in a decoder, whose first sees only itself."""
        return int(self.capture.stack == "decoder")

    @cached_property
    def entropies(self) -> np.ndarray:
        """Entropy of each row in nats, (L, H, T)."""
        return row_entropies(self.capture.with_sink_key().weights)

    @property
    def weights(self) -> np.ndarray:
        """Weights between the tokens that count, (L, H, T', T')."""
        return self.capture.weights[..., self.first_query :, self.first_query :]

    @property
    def special(self) -> np.ndarray:
        """Boolean (T',): tokens that the model added."""
        return known_special(self.capture.special)[self.first_query :]

    @cached_property
    def ids(self) -> list[int]:
        """Numbers of all tokens, equal for tokens with equal text, (T,)."""
        return _text_ids(self.capture)

    @cached_property
    def unique_ids(self) -> list[int]:
        """The same, (T,), with a number of its own for each control token: they repeat in chats."""
        pairs = enumerate(zip(known_special(self.capture.special), self.ids, strict=True))
        return [-1 - i if special else number for i, (special, number) in pairs]


StackSet = frozenset[Stack]

ENCODERS: StackSet = frozenset({"encoder"})
DECODERS: StackSet = frozenset({"decoder"})


@dataclass(frozen=True)
class Measure:
    """A measure of heads, (L, H): NaN where it does not apply; above its threshold it labels."""

    key: str
    function: Callable[[Heads], np.ndarray]
    threshold: float | None = None
    stacks: StackSet = ENCODERS | DECODERS


def profile(capture: AttentionCapture) -> dict[str, np.ndarray]:
    """Compute every measure of :data:`MEASURES` that applies to the capture's stack, (L, H) by key.

    NaN in layers without attention. Raises a HeadlightError if the keys are another sequence, or
    the special tokens unknown.
    """
    check_own_keys(capture)
    heads = Heads(capture)
    found = {each.key: each.function(heads) for each in MEASURES if capture.stack in each.stacks}
    if capture.attention_layers is None:
        return found
    known = np.isin(np.arange(capture.n_layers), capture.attention_layers)[:, None]  # (L, 1)
    return {key: np.where(known, values, np.nan) for key, values in found.items()}


def _distance(heads: Heads) -> np.ndarray:
    """Mean distance in tokens, (L, H), weighted by the attention to tokens: a sink has none."""
    mean, sink = distance(heads.capture.weights), heads.capture.sink
    return mean if sink is None else mean / (1 - sink.mean(axis=-1))


def _evenness(heads: Heads) -> np.ndarray:
    """Entropy as a share of its maximum, (L, H)."""
    if heads.capture.stack == "decoder":
        return _decoder_evenness(heads.capture, heads.entropies)
    n_keys = len(heads.capture.tokens) + (heads.capture.sink is not None)
    mean: np.ndarray = heads.entropies.mean(axis=-1) / math.log(max(n_keys, 2))
    return mean


def _offset(offset: int) -> Callable[[Heads], np.ndarray]:
    """Make the share on the token at an offset, (L, H)."""
    return lambda heads: share_at_offset(heads.weights, heads.special, offset)


def _on_special(heads: Heads, opening: bool) -> np.ndarray:
    """Share on the opening special token ([CLS], <s>), or on the others ([SEP], </s>), (L, H)."""
    opens = np.arange(len(heads.special)) == 0
    return share_on(heads.weights, heads.special & (opens if opening else ~opens))


def _on_punctuation(heads: Heads) -> np.ndarray:
    """Share on punctuation tokens, (L, H)."""
    points = _punctuation(heads.capture)[heads.first_query :]
    if not len(points):
        return np.full(heads.weights.shape[:2], np.nan)
    return share_on(heads.weights, points)


MEASURES = (
    Measure("entropy", lambda x: x.entropies.mean(axis=-1)),  # nats
    Measure("distance", _distance),
    Measure("induction", lambda x: prefix_matching(x.capture.weights, x.unique_ids), 0.5, DECODERS),
    Measure("previous", _offset(-1), 0.5),
    Measure("next", _offset(1), 0.5, ENCODERS),
    Measure("self", _offset(0), 0.5),
    Measure("same", lambda x: share_on_same(x.weights, x.special, x.ids), 0.5, ENCODERS),
    Measure("duplicate", lambda x: duplicates(x.weights, x.unique_ids[1:]), 0.5, DECODERS),
    Measure("cls", lambda x: _on_special(x, opening=True), 0.6, ENCODERS),
    Measure("sep", lambda x: _on_special(x, opening=False), 0.6, ENCODERS),
    Measure("first", lambda x: first_token(x.capture.weights), 0.6, DECODERS),
    Measure("punctuation", _on_punctuation, 0.6),
    Measure("evenness", _evenness, 3.8 / math.log(128)),
)
"""All measures, in the order of the pages. :mod:`model.analysis.labels` explains the thresholds."""


def _decoder_evenness(capture: AttentionCapture, rows: np.ndarray) -> np.ndarray:
    """Entropies as shares of ln n, the maximum for a row that sees n keys, a sink included: (L, H).

    The mean over rows that see more than one token; 0 if there are none.
    """
    n_tokens = rows.shape[-1]
    everything = np.full(n_tokens, n_tokens)
    counts = [everything if mask is None else mask.sum(axis=-1) for mask in capture.allowed]
    visible = np.stack(counts)[:, None]  # L x (T,) -> (L, 1, T)
    if capture.sink is not None:
        visible = visible + 1
    several = np.broadcast_to(visible > 1, rows.shape)
    shares = np.divide(rows, np.log(np.maximum(visible, 1)), out=np.zeros_like(rows), where=several)
    mean: np.ndarray = shares.sum(axis=-1) / np.maximum(several.sum(axis=-1), 1)
    return mean


def _text_ids(capture: AttentionCapture) -> list[int]:
    """Numbers of the tokens, equal for equal text (of unknown tokens the typed text): (T,)."""
    numbers: dict[tuple[int | str, str], int] = {}
    ids: Sequence[int | str] = capture.token_ids or capture.tokens
    return [
        numbers.setdefault((id_, unknown_text(capture, position).casefold()), len(numbers))
        for position, id_ in enumerate(ids)
    ]


def _punctuation(capture: AttentionCapture) -> np.ndarray:
    """Boolean (T,): tokens whose text has punctuation only (Unicode categories P*)."""
    sentences = (capture.text, capture.text_pair or "")
    spans = zip(capture.segment_ids, capture.offsets, strict=True)
    covered = (sentences[segment][start:end].strip() for segment, (start, end) in spans)
    kinds = [{unicodedata.category(letter)[0] for letter in text} for text in covered]
    return np.array([kind == {"P"} for kind in kinds])  # special tokens cover no text
