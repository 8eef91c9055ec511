"""Translations and generated texts, cached for all sessions."""

from typing import Any

from model.catalogue.causal import Generation
from model.catalogue.translation import Translation
from model.transformer.generation import GeneratedId
from web.cache import loaded_models
from web.cache.generation_stream import GenerationStream
from web.cache.shared_cache import MB, shared
from web.inference.operations import forward_queue, is_long, pass_turn

Forced = tuple[tuple[int, str], ...]
"""Forced tokens: pairs of a step and a token."""

TYPICAL_TOKENS = 64
"""Length for which the key/value cache of a stream is budgeted."""


@shared(32 * MB, min_entries=2)
def translation(name: str, text: str, forced: Forced = (), **options: Any) -> Translation:
    """Translate a text."""
    model = loaded_models.translator(name)
    with forward_queue.turn(heavy=True):
        return model.generate(text, forced=dict(forced), **options)


@shared(256 * MB)
def generation_stream(
    name: str, prompt: str, forced: Forced = (), **options: Any
) -> GenerationStream:
    """Return the stream that generates tokens after a prompt, shared by all sessions."""
    model = loaded_models.decoder(name)
    reused: tuple[GeneratedId, ...] = ()
    if forced:
        # Without its last forced token the text is the same up to that step.
        *earlier, (step, _token) = forced
        reused = generation_stream(name, prompt, tuple(earlier), **options).steps[:step]
        reused = reused if len(reused) == step else ()
    steps = model.steps(prompt, [each.token for each in reused], forced=dict(forced), **options)
    # An estimate: keys and values of every query head at a typical length. Few texts are longer,
    # and measuring the real cache would touch the model.
    n_bytes = 2 * model.n_layers * model.d_model * TYPICAL_TOKENS * 4
    long = is_long(model, prompt)
    return GenerationStream(model, prompt, steps, n_bytes, reused, long=long)


@shared(128 * MB, min_entries=2)
def generation(
    name: str, prompt: str, count: int, forced: Forced = (), **options: Any
) -> Generation:
    """Return the first generated tokens with their attention capture."""
    stream = generation_stream(name, prompt, forced, **options)
    stream.ensure_step(count - 1)
    steps = stream.steps[:count]
    with pass_turn(stream.model, prompt, 4 * count * " "):  # a token is about four bytes
        return stream.model.to_generation(prompt, steps, stream.ending(count))
