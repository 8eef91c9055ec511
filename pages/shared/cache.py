"""What all sessions share: models, captures and what is computed from them; see once.py."""

from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from cachetools.keys import hashkey
from torch import Tensor

from model import (
    AttentionCapture,
    HeadlightError,
    LoadedModel,
    NotDownloadedError,
)
from model.analysis.depth import by_layer
from model.analysis.induction import attend_to_repeated
from model.analysis.intervention import Intervention, Outcome, intervene, moved_behind
from model.analysis.labels import Label, labels
from model.analysis.logit_lens import Contributions, LogitLens, contributions, logit_lens
from model.analysis.masking import MaskedRun, read_tokens, run_masked, with_other_token
from model.analysis.measures import profile
from model.analysis.order import Reordered, reorder
from model.calculator.scaling import Spread, spread
from model.capture.stream import ResidualStream
from model.catalogue.causal import Generation, LoadedCausal
from model.catalogue.models import load_reader, load_translator
from model.catalogue.names import canonical_name, is_listed
from model.catalogue.tasks import Decision
from model.catalogue.translation import Translation
from model.catalogue.translator import LoadedTranslator
from model.transformer import positions
from model.transformer.generation import Step
from model.transformer.sizes import Architecture, build
from pages.shared import settings
from pages.shared.once import shared
from pages.shared.turns import Turns
from pages.shared.written import Writing

Model = TypeVar("Model", covariant=True)

MODEL_BYTES = 2 * 1024**3
CAPTURE_BYTES = 256 * 1024**2
REORDERED_BYTES = 64 * 1024**2
LAYERED_BYTES = 64 * 1024**2
LENSED_BYTES = 64 * 1024**2
TRANSLATED_BYTES = 32 * 1024**2
WRITING_BYTES = 256 * 1024**2
GENERATED_BYTES = 128 * 1024**2
INTERVENED_BYTES = 128 * 1024**2
REPEATED_BYTES = 64 * 1024**2
MASKED_BYTES = 64 * 1024**2
POSITIONS_BYTES = 32 * 1024**2
SMALL_BYTES = 8 * 1024**2
"""For each kind of answer that is a table of heads or tokens rather than one of weights."""

COMMON_TOKENS = 64
"""Of a text that is being written: what its cache is counted for."""

# One thread a forward pass (see warm.py), two passes at a time: torch lets go of the interpreter
# meanwhile.
_forward_passes = Turns(2)


def forward_pass() -> Turns:
    """The turn of a forward pass; to be held while one runs."""
    return _forward_passes


def loaded_model(name: str) -> LoadedModel:
    """A model by any of its names, without touching the network; loaded once for everybody.

    Raises:
        HeadlightError: As :func:`model.load_model` does, or if visitors may not ask for it.
    """
    return loaded(one_name(name))


def is_loaded(name: str) -> bool:
    """Whether a model is there at once."""
    return hashkey(one_name(name)) in loaded.kept.cache


def one_name(name: str) -> str:
    """The one name of a model; where other models are not allowed, no folder is looked at."""
    return canonical_name(name) if settings.now().any_model or is_listed(name) else name


@shared(MODEL_BYTES, at_once=2)
def loaded(name: str) -> LoadedModel:
    """A model by its one name; see :func:`loaded_model`."""
    return _if_allowed(name, load_reader)


def translator(name: str) -> LoadedTranslator:
    """A translator by any of its names, without touching the network; loaded once for everybody.

    Raises:
        HeadlightError: As :func:`model.catalogue.models.load_translator` does, or if visitors may
            not ask for it.
    """
    return loaded_translator(one_name(name))


@shared(MODEL_BYTES // 2, at_once=2)
def loaded_translator(name: str) -> LoadedTranslator:
    """A translator by its one name; see :func:`translator`."""
    return _if_allowed(name, load_translator)


class _Load(Protocol[Model]):
    def __call__(self, name: str, /, *, download: bool) -> Model: ...


def _if_allowed(name: str, load: _Load[Model]) -> Model:
    if settings.now().any_model:
        return load(name, download=False)
    if not is_listed(name):
        raise HeadlightError(
            "This server shows no model but those of its list, so {name} was not looked for. "
            "Whoever runs it can allow any (--allow-any-model).",
            name=name,
        )
    try:
        return load(name, download=False)
    except NotDownloadedError as error:
        raise HeadlightError(
            "{name} is not on this server, and visitors may not download it. Whoever runs it can "
            "allow that (--allow-any-model).",
            name=name,
        ) from error


def capture(name: str, text: str, text_pair: str | None) -> AttentionCapture:
    """The capture of a model on a sentence; read-only, and never copied.

    Raises:
        HeadlightError: If the model cannot be loaded or there is no text.
    """
    return read(name, text, text_pair)[0]


def said_next(name: str, text: str) -> list[tuple[str, float]]:
    """What a decoder most probably goes on with behind a text, by the pass that captured it.

    Returns:
        Pairs (token, probability), most probable first; of a model that is no decoder, none.
    """
    return read(name, text, None)[1]


@shared(CAPTURE_BYTES, at_once=2)  # both sides
def read(
    name: str, text: str, text_pair: str | None
) -> tuple[AttentionCapture, list[tuple[str, float]]]:
    """What one forward pass tells: see :func:`capture` and :func:`said_next`.

    Raises:
        HeadlightError: As they do.
    """
    model = loaded_model(name)
    with _forward_passes:
        if not isinstance(model, LoadedCausal):
            return model.attend(text, text_pair), []
        reading = model.read(text, text_pair)
    return reading.capture, model.most_probable(reading.following)


@shared(LAYERED_BYTES, at_once=2)
def layered(name: str, text: str, text_pair: str | None, kind: str) -> np.ndarray:
    """What every layer shows, (L, T, T); see :func:`model.analysis.depth.by_layer`. Read-only.

    Raises:
        HeadlightError: As that does.
    """
    captured = capture(name, text, text_pair)
    maps = by_layer(loaded_model(name), captured, kind)
    maps.flags.writeable = False
    return maps


@shared(SMALL_BYTES, at_once=2)
def profiled(name: str, text: str, text_pair: str | None) -> dict[str, np.ndarray]:
    """Each measure of every head, (L, H); see :func:`model.analysis.measures.profile`."""
    return profile(capture(name, text, text_pair))


@shared(SMALL_BYTES, at_once=2)
def streamed(name: str, text: str, text_pair: str | None) -> ResidualStream:
    """The lengths of a model's residual stream; shared like a capture.

    Raises:
        HeadlightError: As :meth:`model.LoadedModel.residual_stream` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return model.residual_stream(text, text_pair)


@shared(LENSED_BYTES, at_once=2)
def lensed(name: str, text: str, text_pair: str | None, first: int, count: int) -> LogitLens:
    """What each layer would say at some tokens of a text; shared like a capture.

    Args:
        name: Of the model.
        text: The sentence.
        text_pair: A second one, or None.
        first: The first of the tokens.
        count: How many.

    Raises:
        HeadlightError: As :func:`model.analysis.logit_lens.logit_lens` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return logit_lens(model, text, text_pair, positions=range(first, first + count))


@shared(SMALL_BYTES, at_once=2)
def contributed(
    name: str, text: str, text_pair: str | None, first: int, count: int, at: int, token_id: int
) -> Contributions:
    """What adds up to a token's logit at one of the tokens of :func:`lensed`."""
    captured, lens = capture(name, text, text_pair), lensed(name, text, text_pair, first, count)
    return contributions(loaded_model(name), captured, lens, at, token_id)


@shared(SMALL_BYTES, at_once=2)
def predicted(
    name: str, text: str, text_pair: str | None, top_k: int
) -> list[list[tuple[str, float]]]:
    """What a model would put in place of each mask; shared like a capture.

    Raises:
        HeadlightError: As :meth:`model.LoadedModel.predict` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return model.predict(text, text_pair, top_k)


@shared(SMALL_BYTES, at_once=2)
def decided(name: str, text: str, text_pair: str | None) -> Decision:
    """What a fine-tuned model's head decides; shared like a capture.

    Raises:
        HeadlightError: As :meth:`model.LoadedModel.decide` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return model.decide(text, text_pair)


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
    model = translator(name)
    with _forward_passes:
        return model.generate(text, forced=dict(forced), **options)


def decoder(name: str) -> LoadedCausal:
    """A decoder by any of its names; see :func:`loaded_model`.

    Raises:
        HeadlightError: As that does, or if it is no decoder.
    """
    model = loaded_model(name)
    if not isinstance(model, LoadedCausal):
        raise HeadlightError(
            "{model} reads a text and writes none: it is an encoder. Choose a decoder, such as "
            "smollm2.",
            model=model.name,
        )
    return model


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
    model = decoder(name)
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
    return Writing(model, prompt, steps, _forward_passes, n_bytes, made)


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
    with _forward_passes:
        return text.model.seen(prompt, steps, text.ending(count))


@shared(INTERVENED_BYTES, at_once=3)  # before, with words hidden, and with heads off as well
def intervened(name: str, text: str, text_pair: str | None, change: Intervention) -> Outcome:
    """A run with something changed; shared like a capture.

    Raises:
        HeadlightError: As :func:`model.analysis.intervention.intervene` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return intervene(model, text, text_pair, change)


@shared(SMALL_BYTES, at_once=2)
def labelled(name: str, text: str, text_pair: str | None) -> list[list[Label]]:
    """What each head is called on a sentence, ``[layer][head]``; :mod:`model.analysis.labels`."""

    def on_random() -> np.ndarray:
        measured = profiled_on_repeated(name)
        return np.array(np.nan) if measured is None else measured["induction"]

    return labels(profiled(name, text, text_pair), on_random)


@shared(REPEATED_BYTES, at_once=2)
def repeated(name: str) -> AttentionCapture:
    """A decoder on random tokens that are repeated; see :mod:`model.analysis.induction`.

    Raises:
        HeadlightError: If the model is too small for them.
    """
    model = decoder(name)
    with _forward_passes:
        return attend_to_repeated(model)


@shared(SMALL_BYTES, at_once=2)
def profiled_on_repeated(name: str) -> dict[str, np.ndarray] | None:
    """Each measure of every head of a decoder on :func:`repeated`; None if it is too small."""
    try:
        return profile(repeated(name))
    except HeadlightError:
        return None


@shared(SMALL_BYTES, at_once=2)
def moved_next(
    name: str, text: str, before: Intervention, after: Intervention, last: int
) -> np.ndarray:
    """How far what a decoder writes next moved between two runs, behind the last tokens: (last,).

    See :func:`model.analysis.intervention.moved_behind`.
    """
    states = (intervened(name, text, None, change).hidden[-last:] for change in (before, after))
    with _forward_passes:
        return moved_behind(decoder(name), *states)


@shared(SMALL_BYTES, at_once=2)
def kinship(ours: str, theirs: str) -> float:
    """The cosine between the weights of two models, W^O of all layers; 0 if their shapes differ."""
    first, second = (
        [output.get_parameter("weight").detach() for output in loaded_model(name).outputs]
        for name in (ours, theirs)
    )
    if [weight.shape for weight in first] != [weight.shape for weight in second]:
        return 0.0
    pairs = list(zip(first, second, strict=True))
    dot, *lengths = (
        sum(float((a * b).sum()) for a, b in each)
        for each in (pairs, zip(first, first, strict=True), zip(second, second, strict=True))
    )
    return dot / float(np.sqrt(np.prod(lengths)))


@shared(REORDERED_BYTES, at_once=6)  # in two orders, at three strengths
def reordered(
    name: str, text: str, words: tuple[int, ...] | None, position_scale: float
) -> Reordered:
    """One of our encoders on a sentence in some order; shared like a capture.

    Raises:
        HeadlightError: As :func:`model.analysis.order.reorder` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return reorder(model, text, words, position_scale)


@shared(MASKED_BYTES, at_once=8)  # without and with a mask, and both with another token
def masked(
    name: str, text: str, most: int, n_padding: int, mask: bytes | None, changed: int | None
) -> MaskedRun:
    """One of our encoders on a sentence under a mask; shared like a capture.

    Args:
        name: Of the encoder.
        text: The sentence.
        most: Tokens of it that are read.
        n_padding: Tokens of padding behind them.
        mask: Its cells (T, T), a byte each; None allows all.
        changed: The token that is hidden behind the mask token, by position.

    Raises:
        HeadlightError: As :mod:`model.analysis.masking` does.
    """
    model = loaded_model(name)
    tokens = read_tokens(model, text, most, n_padding)
    if changed is not None:
        tokens = with_other_token(model, tokens, changed)
    count, allowed = len(tokens.ids), None
    if mask is not None:
        allowed = torch.frombuffer(bytearray(mask), dtype=torch.bool).view(count, count)
    with _forward_passes:
        return run_masked(model, tokens, text, allowed)


@shared(POSITIONS_BYTES, at_once=2)
def position_cosines(name: str) -> np.ndarray:
    """Cosines of all positions of a model's table with one another, (P, P); read-only.

    Raises:
        LookupError: If the model has no table.
    """
    return _read_only(positions.cosines(_position_table(name)))


@shared(SMALL_BYTES, at_once=2)
def position_components(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A model's positions in the plane, and what it explains of them.

    See :func:`model.transformer.positions.principal_components`. Read-only.

    Raises:
        LookupError: If the model has no table.
    """
    coordinates, explained = positions.principal_components(_position_table(name))
    return _read_only(coordinates), _read_only(explained)


@shared(SMALL_BYTES, at_once=2)
def position_products(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dot products of a model's positions by offset: mean, smallest, largest; read-only.

    Raises:
        LookupError: If the model has no table.
    """
    mean, low, high = positions.products_by_offset(_position_table(name))
    return _read_only(mean), _read_only(low), _read_only(high)


def _position_table(name: str) -> Tensor:
    table = loaded_model(name).position_table
    if table is None:
        raise LookupError(name)
    return table


def _read_only(tensor: Tensor) -> np.ndarray:
    array: np.ndarray = tensor.numpy()
    array.flags.writeable = False
    return array


@shared(SMALL_BYTES)
def spread_of(seed: int, n_keys: int) -> Spread:
    """What scores and softmax do as d_k grows; see :func:`model.calculator.scaling.spread`.

    Raises:
        HeadlightError: As that does.
    """
    return spread(seed, n_keys)


@shared(SMALL_BYTES)
def built(architecture: Architecture) -> int:
    """How many parameters a model has once it is built; see :mod:`model.transformer.sizes`."""
    return sum(parameter.numel() for parameter in build(architecture).parameters())
