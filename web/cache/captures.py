"""Cached captures of models, and results computed from them."""

import warnings
from functools import partial
from math import inf

import numpy as np
import torch

from model import AttentionCapture, CutTextWarning, HeadlightError
from model.analysis.depth import by_layer
from model.analysis.induction import attend_to_repeated
from model.analysis.intervention import Intervention, InterventionRun, intervene
from model.analysis.labels import HeadLabel, label_of, labels
from model.analysis.layer_vectors import LayerVectors
from model.analysis.layer_vectors import layer_vectors as vectors_of_layer
from model.analysis.logit_lens import LogitLens
from model.analysis.logit_lens import logit_lens as analysed_lens
from model.analysis.masking import MaskedRun, mask_tokens, read_tokens, run_masked
from model.analysis.measures import profile
from model.analysis.order import Reordered, reorder
from model.capture.residual_stream import ResidualStream
from model.catalogue.causal import LoadedCausal
from model.catalogue.tasks import Decision
from web.cache import loaded_models, uploaded_captures
from web.cache.shared_cache import MB, SMALL_BYTES, shared
from web.inference.operations import array_turn, compute, pass_turn

warnings.simplefilter("ignore", CutTextWarning)  # pages show the words that are left out


def capture(name: str, text: str, text_pair: str | None) -> AttentionCapture:
    """A model's capture of a sentence, or that of a file, whatever the sentence; read-only."""
    if uploaded_captures.is_file(name):
        return uploaded_captures.capture(name)
    return read(name, text, text_pair)[0]


def next_tokens(name: str, text: str) -> list[tuple[str, float]]:
    """A decoder's next tokens and probabilities, most probable first; empty for an encoder."""
    return read(name, text, None)[1]


@shared(256 * MB, min_entries=2)  # a capture for each side
def read(
    name: str, text: str, text_pair: str | None
) -> tuple[AttentionCapture, list[tuple[str, float]]]:
    """The results of one forward pass; see :func:`capture` and :func:`next_tokens`."""
    model = loaded_models.loaded_model(name)
    with pass_turn(model, text, text_pair):
        if not isinstance(model, LoadedCausal):
            return model.attend(text, text_pair), []
        captured, probabilities = model.attend_and_predict(text, text_pair)
        return captured, model.most_probable(probabilities)


@shared(64 * MB, min_entries=2)
def layer_maps(name: str, text: str, text_pair: str | None, kind: str) -> np.ndarray:
    """One map per layer, (L, T, T); see :func:`model.analysis.depth.by_layer`. Read-only."""
    captured, model = capture(name, text, text_pair), loaded_models.loaded_model(name)
    with array_turn(inf if kind == "flow" else captured.weights.size):
        maps = by_layer(model, captured, kind)
    maps.flags.writeable = False
    return maps


@shared(SMALL_BYTES, min_entries=2)
def head_measures(name: str, text: str, text_pair: str | None) -> dict[str, np.ndarray]:
    """Each measure of every head, (L, H); see :func:`model.analysis.measures.profile`."""
    captured = capture(name, text, text_pair)
    with array_turn(captured.weights.size):
        return profile(captured)


@shared(SMALL_BYTES, min_entries=2)
def residual_stream(name: str, text: str, text_pair: str | None) -> ResidualStream:
    """Vector lengths of a model's residual stream."""
    model = loaded_models.loaded_model(name)
    with pass_turn(model, text, text_pair):
        return model.residual_stream(text, text_pair)


@shared(SMALL_BYTES, min_entries=2)
def layer_vectors(
    name: str, text: str, text_pair: str | None, layer: int, token: int
) -> LayerVectors:
    """The vectors of one token in one layer."""
    model = loaded_models.loaded_model(name)
    with pass_turn(model, text, text_pair):
        return vectors_of_layer(model, text, text_pair, layer, token)


@shared(64 * MB, min_entries=2)
def logit_lens(name: str, text: str, text_pair: str | None, first: int, count: int) -> LogitLens:
    """The logit lens at some tokens of a text."""
    model = loaded_models.loaded_model(name)
    places = range(first, first + count)
    with pass_turn(model, text, text_pair):
        return analysed_lens(model, text, text_pair, positions=places)


@shared(SMALL_BYTES, min_entries=2)
def mask_predictions(
    name: str, text: str, text_pair: str | None, top_k: int
) -> list[list[tuple[str, float]]]:
    """The most probable tokens for each mask."""
    model = loaded_models.loaded_model(name)
    with pass_turn(model, text, text_pair):
        return model.predict(text, text_pair, top_k)


@shared(SMALL_BYTES, min_entries=2)
def task_decision(name: str, text: str, text_pair: str | None) -> Decision:
    """The decision of a fine-tuned model's task head."""
    model = loaded_models.loaded_model(name)
    with pass_turn(model, text, text_pair):
        return model.decide(text, text_pair)


@shared(128 * MB, min_entries=3)  # unchanged, with words hidden, and with heads off
def intervention_outcome(
    name: str, text: str, text_pair: str | None, change: Intervention
) -> InterventionRun:
    """The outcome of a forward pass with an intervention."""
    model = loaded_models.loaded_model(name)
    with pass_turn(model, text, text_pair):
        return intervene(model, text, text_pair, change)


@shared(SMALL_BYTES, min_entries=2)
def head_labels(name: str, text: str, text_pair: str | None) -> list[list[HeadLabel]]:
    """The label of each head on a sentence, ``[layer][head]``; see :mod:`model.analysis.labels`."""
    return labels(head_measures(name, text, text_pair), partial(measures_on_repeats, name))


def head_label(name: str, text: str, text_pair: str | None, layer: int, head: int) -> HeadLabel:
    """The label of one head on a sentence, without computing the others."""
    measured = head_measures(name, text, text_pair)
    return label_of(measured, layer, head, partial(measures_on_repeats, name))


@shared(SMALL_BYTES, min_entries=2)
def measures_on_repeats(name: str) -> dict[str, np.ndarray] | None:
    """Each measure of a decoder's heads on repeated random tokens; None if it is too small."""
    try:
        return profile(compute(attend_to_repeated, loaded_models.decoder(name)))
    except HeadlightError:
        return None


@shared(64 * MB, min_entries=6)  # two orders, three scales of the positions
def reordered_run(
    name: str, text: str, words: tuple[int, ...] | None, position_scale: float
) -> Reordered:
    """A pass of our encoder on reordered words."""
    return compute(reorder, loaded_models.loaded_model(name), text, words, position_scale)


@shared(64 * MB, min_entries=8)  # with and without a mask, and both with another token
def masked_run(
    name: str, text: str, most: int, n_padding: int, mask: bytes | None, changed: int | None
) -> MaskedRun:
    """A pass of our encoder under a mask (T, T), one byte a cell; None allows everything."""
    model = loaded_models.loaded_model(name)
    tokens = read_tokens(model, text, most, n_padding)
    if changed is not None:
        tokens = mask_tokens(model, tokens, [changed])
    count, allowed = len(tokens.ids), None
    if mask is not None:
        allowed = torch.frombuffer(bytearray(mask), dtype=torch.bool)
        allowed = allowed.view(count, count)  # (T * T,) -> (T, T)
    return compute(run_masked, model, tokens, text, allowed)
