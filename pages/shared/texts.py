"""Texts that models write, shared by all sessions; see once.py."""

from typing import Any

from inference import work
from model.catalogue.causal import Generation
from model.catalogue.translation import Translation
from model.transformer.generation import Step
from pages.shared import loading
from pages.shared.once import shared
from pages.shared.turns import computed, passes
from pages.shared.written import Writing

TRANSLATED_BYTES = 32 * 1024**2
WRITING_BYTES = 256 * 1024**2
GENERATED_BYTES = 128 * 1024**2

COMMON_TOKENS = 64
"""Of a text that is being written: what its cache is counted for."""


@shared(TRANSLATED_BYTES, at_once=2)
def translated(
    name: str, text: str, forced: tuple[tuple[int, str], ...] = (), **options: Any
) -> Translation:
    """What a translator writes; shared like a capture.

    Args:
        name: Of the translator.
        text: What it reads.
        forced: Pairs of a step and the token that stands there.
        **options: How it writes; see :class:`model.catalogue.translation.Options`.

    Raises:
        HeadlightError: As :meth:`model.catalogue.translator.LoadedTranslator.generate` does.
    """
    model = loading.translator(name)
    return computed(work.translate, model, text, forced, options)


@shared(WRITING_BYTES)
def writing(
    name: str, prompt: str, forced: tuple[tuple[int, str], ...] = (), **options: Any
) -> Writing:
    """What a decoder writes behind a prompt, as far as anybody has asked for it.

    Args:
        name: Of the decoder.
        prompt: What is there.
        forced: Pairs of a step and the token that stands there, by step.
        **options: How it writes; see :class:`model.catalogue.options.Options`.

    Raises:
        HeadlightError: As :meth:`model.catalogue.causal.LoadedCausal.steps` does.
    """
    model = loading.decoder(name)
    made: tuple[Step, ...] = ()
    if forced:
        # Up to the last token that was forced it is the text without that one.
        *before, (step, _token) = forced
        made = writing(name, prompt, tuple(before), **options).made[:step]
        made = made if len(made) == step else ()
    steps = model.steps(prompt, [each.token for each in made], forced=dict(forced), **options)
    # Keys and values of a common length, were there as many heads of them as of queries. Few texts
    # become long, and no model is asked for its cache.
    n_bytes = 2 * model.n_layers * model.d_model * COMMON_TOKENS * 4
    return Writing(model, prompt, steps, passes, n_bytes, made)


@shared(GENERATED_BYTES, at_once=2)
def generated(
    name: str, prompt: str, count: int, forced: tuple[tuple[int, str], ...] = (), **options: Any
) -> Generation:
    """The first tokens that a decoder writes, with all that was seen; shared like a capture.

    Args:
        name: Of the decoder.
        prompt: What is there.
        count: Most tokens, at least 1.
        forced: As :func:`writing` has it.
        **options: As :func:`writing` has them.

    Raises:
        HeadlightError: As :func:`writing` does.
    """
    text = writing(name, prompt, forced, **options)
    text.has(count - 1)
    steps = text.made[:count]
    with passes.turn():
        return text.model.seen(prompt, steps, text.ending(count))
