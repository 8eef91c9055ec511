"""What all sessions share: models and captures, each computed once and evicted by bytes."""

import threading

import numpy as np
import torch
from cachetools import LRUCache, cached
from threadpoolctl import threadpool_limits

from model import AttentionCapture, LoadedModel, load_model
from model.analysis.depth import by_layer
from model.analysis.intervention import Intervention, Outcome, intervene
from model.analysis.labels import Label, labels
from model.analysis.measures import profile
from model.analysis.order import Reordered, reorder
from model.catalogue.tasks import Decision

MODEL_BYTES = 2 * 1024**3
CAPTURE_BYTES = 256 * 1024**2
REORDERED_BYTES = 64 * 1024**2
LAYERED_BYTES = 64 * 1024**2
INTERVENED_BYTES = 128 * 1024**2

# On a shared machine several OpenMP threads mostly wait for one another: one thread a forward
# pass, two passes at a time. torch lets go of the interpreter meanwhile.
torch.set_num_threads(1)
threadpool_limits(1, user_api="blas")  # numpy's products, likewise
_forward_passes = threading.Semaphore(2)


@cached(
    LRUCache(MODEL_BYTES, getsizeof=lambda model: model.nbytes), condition=threading.Condition()
)
def loaded_model(name: str) -> LoadedModel:
    """A model by name, without touching the network; loaded once for everybody.

    Raises:
        HeadlightError: As :func:`model.load_model` does.
    """
    return load_model(name, download=False)


# The condition makes a hundred students with one sentence wait for one forward pass.
@cached(
    LRUCache(CAPTURE_BYTES, getsizeof=lambda capture: capture.nbytes),
    condition=threading.Condition(),
)
def capture(name: str, text: str, text_pair: str | None) -> AttentionCapture:
    """The capture of a model on a sentence; read-only, and never copied.

    Raises:
        HeadlightError: If the model cannot be loaded or there is no text.
    """
    model = loaded_model(name)
    with _forward_passes:
        return model.attend(text, text_pair)


@cached(
    LRUCache(LAYERED_BYTES, getsizeof=lambda maps: maps.nbytes), condition=threading.Condition()
)
def layered(name: str, text: str, text_pair: str | None, kind: str) -> np.ndarray:
    """What every layer shows, (L, T, T); see :func:`model.analysis.depth.by_layer`. Read-only.

    Raises:
        HeadlightError: As that does.
    """
    captured = capture(name, text, text_pair)
    maps = by_layer(loaded_model(name), captured, kind)
    maps.flags.writeable = False
    return maps


@cached(LRUCache(256), condition=threading.Condition())
def profiled(name: str, text: str, text_pair: str | None) -> dict[str, np.ndarray]:
    """Each measure of every head, (L, H); see :func:`model.analysis.measures.profile`."""
    return profile(capture(name, text, text_pair))


@cached(LRUCache(256), condition=threading.Condition())
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


@cached(LRUCache(256), condition=threading.Condition())
def decided(name: str, text: str, text_pair: str | None) -> Decision:
    """What a fine-tuned model's head decides; shared like a capture.

    Raises:
        HeadlightError: As :meth:`model.LoadedModel.decide` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return model.decide(text, text_pair)


@cached(
    LRUCache(INTERVENED_BYTES, getsizeof=lambda outcome: outcome.nbytes),
    condition=threading.Condition(),
)
def intervened(name: str, text: str, text_pair: str | None, change: Intervention) -> Outcome:
    """A run with something changed; shared like a capture.

    Raises:
        HeadlightError: As :func:`model.analysis.intervention.intervene` does.
    """
    model = loaded_model(name)
    with _forward_passes:
        return intervene(model, text, text_pair, change)


@cached(LRUCache(256), condition=threading.Condition())
def labelled(name: str, text: str, text_pair: str | None) -> list[list[Label]]:
    """What each head is called on a sentence, ``[layer][head]``; :mod:`model.analysis.labels`."""
    return labels(profiled(name, text, text_pair))


@cached(
    LRUCache(REORDERED_BYTES, getsizeof=lambda run: run.capture.nbytes + run.hidden.nbytes),
    condition=threading.Condition(),
)
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
