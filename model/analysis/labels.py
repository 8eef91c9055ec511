"""Labels of heads ("previous", "broad"), by fixed thresholds on their measures.

Clark et al. 2019, "What Does BERT Look At?", label a head by its mean attention over a corpus:
more than 0.5 on the next or the previous token; more than 0.6 on [CLS], on [SEP] or on punctuation;
broad above 3.8 nats of entropy (their General_Analysis notebook). Typed sentences are shorter than
their 128 tokens, for which 3.8 nats is 0.78 of the maximum; that share is the threshold here.
"Itself" and "same word" are our additions, with the threshold for neighbours.

Decoder heads see no later token and have no [CLS]. Their additional labels are the first token
(threshold of [CLS]), duplicate tokens and induction (threshold of neighbours). In a short text
both may be chance: a head that looks two tokens back finds induction in "one two three one two",
and one repeated "the" can be a sink. So they must also hold on random tokens.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from model.analysis.induction import attend_to_repeated
from model.analysis.measures import MEASURES, profile
from model.capture.record import AttentionCapture
from model.capture.sites import Stack
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError

THRESHOLDS = {each.key: each.threshold for each in MEASURES if each.threshold is not None}
"""Value that a measure of :func:`model.analysis.measures.profile` must exceed for its label."""

BROAD, MIXED, NONE = "broad", "mixed", "no attention"
CONFIRMED = ("induction", "duplicate")
"""Labels of decoders that must also hold on random tokens."""

OnRandom = Callable[[], Mapping[str, np.ndarray] | None]
LABELS = (*(name for name in THRESHOLDS if name != "evenness"), BROAD, MIXED)


def labels_of(stack: Stack) -> tuple[str, ...]:
    """Labels that heads of a stack can have."""
    others = {each.key for each in MEASURES if stack not in each.stacks}
    return tuple(name for name in LABELS if name not in others)


@dataclass(frozen=True)
class HeadLabel:
    """Label of a head, and the measure that decided it (mixed: the one nearest to its threshold).

    The value exceeds the threshold, unless the head is mixed.
    """

    name: str
    measure: str
    value: float
    threshold: float


def label(measured: Mapping[str, float]) -> HeadLabel:
    """Label a head by its measures.

    Among the shares above their thresholds, the largest multiple of its threshold decides. A head
    is broad only if there is none, and mixed if no label applies. Without any measure, its layer
    has no attention.
    """
    multiples = {
        name: measured[name] / threshold
        for name, threshold in THRESHOLDS.items()
        if not math.isnan(measured.get(name, math.nan))
    }
    if not multiples:
        return HeadLabel(NONE, "entropy", math.nan, math.nan)
    ranked = sorted(multiples, key=lambda name: (name == "evenness", -multiples[name]))
    applies = [name for name in ranked if multiples[name] > 1]
    if applies:
        decided = applies[0]
        name = BROAD if decided == "evenness" else decided
    else:
        decided, name = max(multiples, key=lambda measure: multiples[measure]), MIXED
    return HeadLabel(name, decided, measured[decided], THRESHOLDS[decided])


def head_labels(model: LoadedModel, capture: AttentionCapture) -> list[list[HeadLabel]]:
    """Label every head of a model on a text, ``[layer][head]``; see :func:`labels`.

    In a decoder that is too small for random tokens, no head gets a label of :data:`CONFIRMED`.
    """

    def measured(decoder: LoadedCausal) -> Mapping[str, np.ndarray] | None:
        try:
            return profile(attend_to_repeated(decoder))
        except HeadlightError:
            return None

    known = partial(measured, model) if isinstance(model, LoadedCausal) else None
    return labels(profile(capture), known)


def labels(
    profile: Mapping[str, np.ndarray], on_random: OnRandom | None = None
) -> list[list[HeadLabel]]:
    """Label every head of a model by its measures, ``[layer][head]``.

    ``on_random`` returns the profile of repeated random tokens, None if the model is too small.
    """
    measures = _applicable(profile, on_random)
    n_layers, n_heads = profile["entropy"].shape
    return [
        [_label_at(measures, layer, head) for head in range(n_heads)] for layer in range(n_layers)
    ]


def label_of(
    profile: Mapping[str, np.ndarray],
    layer: int,
    head: int,
    on_random: OnRandom | None = None,
) -> HeadLabel:
    """Label one head as :func:`labels` does."""
    return _label_at(_applicable(profile, on_random), layer, head)


def _applicable(
    profile: Mapping[str, np.ndarray], on_random: OnRandom | None
) -> dict[str, np.ndarray]:
    measures = {name: profile[name] for name in THRESHOLDS if name in profile}
    for name in CONFIRMED:
        if on_random is not None and np.any(measures.get(name, np.nan) > THRESHOLDS[name]):
            confirmed = (on_random() or {}).get(name, np.array(np.nan)) > THRESHOLDS[name]
            measures[name] = np.where(confirmed, measures[name], np.nan)
    return measures


def _label_at(measures: Mapping[str, np.ndarray], layer: int, head: int) -> HeadLabel:
    return label({name: float(values[layer, head]) for name, values in measures.items()})
