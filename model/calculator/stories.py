"""What the exercises of a set are called, and what there is to see in them; no answer is told."""

from model.calculator.exercises import Exercise
from model.calculator.presets import PRESETS
from model.errors import Sentence


def title(exercise: Exercise, number: int) -> Sentence:
    """Its name.

    Args:
        exercise: One that asks for numbers.
        number: Its place in the set, from 1 on.
    """
    if exercise.preset:
        return PRESETS[exercise.preset].title
    values = {"number": number, "tokens": len(exercise.q)}
    if exercise.settings.temperature != 1:
        return Sentence("Exercise {number}: {tokens} tokens and a temperature", **values)
    return {
        "none": Sentence("Exercise {number}: {tokens} tokens", **values),
        "causal": Sentence("Exercise {number}: {tokens} tokens, causal masking", **values),
        "padding": Sentence("Exercise {number}: {tokens} tokens, one of them padding", **values),
    }[exercise.settings.mask]


def story(exercise: Exercise) -> Sentence:
    """What there is to see in it."""
    if exercise.preset:
        return PRESETS[exercise.preset].story
    if exercise.settings.temperature != 1:
        return Sentence(
            "The scores are divided by √d_k and by the temperature {t:g}: the hotter, the more "
            "evenly a query attends.",
            t=exercise.settings.temperature,
        )
    return {
        "none": Sentence("Every query meets every key. Whom does each of them attend to most?"),
        "causal": Sentence(
            "A decoder writes one token at a time, so no token looks ahead: what is hidden gets no "
            "weight, and the rest shares all of it."
        ),
        "padding": Sentence(
            "A sentence shorter than its batch is filled up with padding. It must not change what "
            "the others attend to."
        ),
    }[exercise.settings.mask]
