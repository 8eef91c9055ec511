"""What a head does, in one word, by a rule that is stated with its number.

Clark et al. 2019, "What Does BERT Look At?", label a head by its mean attention over a corpus:
more than half on the next or the previous token; more than 0.6 on [CLS], on [SEP] or on
punctuation; broad above 3.8 nats of entropy (their General_Analysis notebook). Sentences of one's
own are shorter than their 128 tokens, where 3.8 nats is 0.78 of the most there is: that share is
what is asked here. "Itself" and "same word" are ours, by the rule for neighbours.

Heads of a decoder see no later token, and have no [CLS]: they are asked for the first token (by the
rule for [CLS]), for their own token where it stood before, and for induction (both by the rule for
neighbours). What looks like induction in a few words may be chance: a head that looks two tokens
back finds it in "one two three one two". So it has to show on random tokens too.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from model.capture.sites import Stack

THRESHOLDS = {
    "induction": 0.5,
    "previous": 0.5,
    "next": 0.5,
    "self": 0.5,
    "same": 0.5,
    "duplicate": 0.5,
    "cls": 0.6,
    "sep": 0.6,
    "first": 0.6,
    "punctuation": 0.6,
    "evenness": 3.8 / math.log(128),
}
"""What a measure of :func:`model.analysis.measures.profile` has to exceed, for its label."""

BROAD, MIXED = "broad", "mixed"
LABELS = (*(name for name in THRESHOLDS if name != "evenness"), BROAD, MIXED)

LOOKING_BACK = frozenset({"induction", "duplicate", "first"})
"""Labels that only heads of a decoder get."""

LOOKING_AROUND = frozenset({"next", "same", "cls", "sep"})
"""Labels that they never get."""


def labels_of(stack: Stack) -> tuple[str, ...]:
    """Those of :data:`LABELS` that heads of an encoder, or of a decoder, may get."""
    others = LOOKING_AROUND if stack == "decoder" else LOOKING_BACK
    return tuple(name for name in LABELS if name not in others)


@dataclass(frozen=True)
class Label:
    """What a head is called, and why.

    Attributes:
        name: One of :data:`LABELS`.
        measure: Which measure decided; of a mixed head, the one that came nearest to its threshold.
        value: Of that measure.
        threshold: That the value exceeds, unless the head is mixed.
    """

    name: str
    measure: str
    value: float
    threshold: float


def label(measured: Mapping[str, float]) -> Label:
    """Call a head by what it does.

    Of the shares that exceed their thresholds the one farthest above decides, as a multiple of its
    threshold; a head is broad only if none does, and mixed if nothing applies.

    Args:
        measured: A head's measures, of :func:`model.analysis.measures.profile`. Those that are
            missing or not a number (the same word, where none occurs twice) cannot apply.
    """
    multiples = {
        name: measured[name] / threshold
        for name, threshold in THRESHOLDS.items()
        if not math.isnan(measured.get(name, math.nan))
    }
    ranked = sorted(multiples, key=lambda name: (name == "evenness", -multiples[name]))
    applies = [name for name in ranked if multiples[name] > 1]
    if applies:
        decided = applies[0]
        name = BROAD if decided == "evenness" else decided
    else:
        decided, name = max(multiples, key=lambda measure: multiples[measure]), MIXED
    return Label(name, decided, measured[decided], THRESHOLDS[decided])


def labels(
    profile: Mapping[str, np.ndarray], on_random: Callable[[], np.ndarray] | None = None
) -> list[list[Label]]:
    """Label every head of a model.

    Args:
        profile: Each measure (L, H), of :func:`model.analysis.measures.profile` or its mean over a
            corpus.
        on_random: Gives :func:`model.analysis.induction.induction_scores`, (L, H). It is asked only
            if a head seems to do induction here; what it denies is no induction.

    Returns:
        ``[layer][head]``.
    """
    found = _deciding(profile, on_random)
    n_layers, n_heads = profile["entropy"].shape
    return [[_at(found, layer, head) for head in range(n_heads)] for layer in range(n_layers)]


def label_of(
    profile: Mapping[str, np.ndarray],
    layer: int,
    head: int,
    on_random: Callable[[], np.ndarray] | None = None,
) -> Label:
    """What :func:`labels` says of one head, without the others."""
    return _at(_deciding(profile, on_random), layer, head)


def _deciding(
    profile: Mapping[str, np.ndarray], on_random: Callable[[], np.ndarray] | None
) -> dict[str, np.ndarray]:
    found = {name: profile[name] for name in THRESHOLDS if name in profile}
    least = THRESHOLDS["induction"]
    if on_random is not None and np.any(found.get("induction", np.nan) > least):
        found["induction"] = np.where(on_random() > least, found["induction"], np.nan)
    return found


def _at(found: Mapping[str, np.ndarray], layer: int, head: int) -> Label:
    return label({name: float(values[layer, head]) for name, values in found.items()})
