"""Captures that all sessions share, and what is computed from them; see once.py."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from inference import work
from model import AttentionCapture, HeadlightError
from model.analysis.depth import by_layer
from model.analysis.induction import attend_to_repeated
from model.analysis.intervention import Intervention, Outcome, intervene, moved_behind
from model.analysis.labels import Label, label_of, labels
from model.analysis.logit_lens import Contributions, LogitLens, contributions
from model.analysis.masking import MaskedRun
from model.analysis.measures import profile
from model.analysis.order import Reordered, reorder
from model.capture.stream import ResidualStream
from model.catalogue.tasks import Decision
from model.passes import cores
from pages.shared import loading
from pages.shared.once import SMALL_BYTES, shared
from pages.shared.turns import computed, idle

CAPTURE_BYTES = 256 * 1024**2
REORDERED_BYTES = 64 * 1024**2
LAYERED_BYTES = 64 * 1024**2
LENSED_BYTES = 64 * 1024**2
INTERVENED_BYTES = 128 * 1024**2
REPEATED_BYTES = 64 * 1024**2
MASKED_BYTES = 64 * 1024**2


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


_beside = ThreadPoolExecutor(cores(), "capture-beside")


def begin(name: str, text: str, text_pair: str | None) -> None:
    """Have a capture made beside what this run does, if a core is free for it and one for the run.

    The run asks for it as for any other.
    """
    if idle(2):
        read.begin(_beside, name, text, text_pair)


@shared(CAPTURE_BYTES, at_once=2)  # both sides
def read(
    name: str, text: str, text_pair: str | None
) -> tuple[AttentionCapture, list[tuple[str, float]]]:
    """What one forward pass tells: see :func:`capture` and :func:`said_next`.

    Raises:
        HeadlightError: As they do.
    """
    model = loading.loaded_model(name)
    return computed(work.read, model, text, text_pair)


@shared(LAYERED_BYTES, at_once=2)
def layered(name: str, text: str, text_pair: str | None, kind: str) -> np.ndarray:
    """What every layer shows, (L, T, T); see :func:`model.analysis.depth.by_layer`. Read-only.

    Raises:
        HeadlightError: As that does.
    """
    captured = capture(name, text, text_pair)
    maps = by_layer(loading.loaded_model(name), captured, kind)
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
    model = loading.loaded_model(name)
    return computed(work.stream, model, text, text_pair)


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
    model = loading.loaded_model(name)
    return computed(work.lens, model, text, text_pair, first, count)


@shared(SMALL_BYTES, at_once=2)
def contributed(
    name: str, text: str, text_pair: str | None, first: int, count: int, at: int, token_id: int
) -> Contributions:
    """What adds up to a token's logit at one of the tokens of :func:`lensed`."""
    captured, lens = capture(name, text, text_pair), lensed(name, text, text_pair, first, count)
    return contributions(loading.loaded_model(name), captured, lens, at, token_id)


@shared(SMALL_BYTES, at_once=2)
def predicted(
    name: str, text: str, text_pair: str | None, top_k: int
) -> list[list[tuple[str, float]]]:
    """What a model would put in place of each mask; shared like a capture.

    Raises:
        HeadlightError: As :meth:`model.LoadedModel.predict` does.
    """
    model = loading.loaded_model(name)
    return computed(work.predict, model, text, text_pair, top_k)


@shared(SMALL_BYTES, at_once=2)
def decided(name: str, text: str, text_pair: str | None) -> Decision:
    """What a fine-tuned model's head decides; shared like a capture.

    Raises:
        HeadlightError: As :meth:`model.LoadedModel.decide` does.
    """
    model = loading.loaded_model(name)
    return computed(work.decide, model, text, text_pair)


@shared(INTERVENED_BYTES, at_once=3)  # before, with words hidden, and with heads off as well
def intervened(name: str, text: str, text_pair: str | None, change: Intervention) -> Outcome:
    """A run with something changed; shared like a capture.

    Raises:
        HeadlightError: As :func:`model.analysis.intervention.intervene` does.
    """
    model = loading.loaded_model(name)
    return computed(intervene, model, text, text_pair, change)


@shared(SMALL_BYTES, at_once=2)
def labelled(name: str, text: str, text_pair: str | None) -> list[list[Label]]:
    """What each head is called on a sentence, ``[layer][head]``; :mod:`model.analysis.labels`."""
    return labels(profiled(name, text, text_pair), partial(_on_random, name))


def called(name: str, text: str, text_pair: str | None, layer: int, head: int) -> Label:
    """What one head is called there: a page that shows one does without the others."""
    return label_of(profiled(name, text, text_pair), layer, head, partial(_on_random, name))


def _on_random(name: str) -> np.ndarray:
    """Induction on random tokens, (L, H), or (): not a number, where the model is too small."""
    measured = profiled_on_repeated(name)
    return np.array(np.nan) if measured is None else measured["induction"]


@shared(REPEATED_BYTES, at_once=2)
def repeated(name: str) -> AttentionCapture:
    """A decoder on random tokens that are repeated; see :mod:`model.analysis.induction`.

    Raises:
        HeadlightError: If the model is too small for them.
    """
    return computed(attend_to_repeated, loading.decoder(name))


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
    ours, theirs = (intervened(name, text, None, each).hidden[-last:] for each in (before, after))
    return computed(moved_behind, loading.decoder(name), ours, theirs)


@shared(REORDERED_BYTES, at_once=6)  # in two orders, at three strengths
def reordered(
    name: str, text: str, words: tuple[int, ...] | None, position_scale: float
) -> Reordered:
    """One of our encoders on a sentence in some order; shared like a capture.

    Raises:
        HeadlightError: As :func:`model.analysis.order.reorder` does.
    """
    model = loading.loaded_model(name)
    return computed(reorder, model, text, words, position_scale)


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
    model = loading.loaded_model(name)
    return computed(work.mask, model, text, most, n_padding, mask, changed)
