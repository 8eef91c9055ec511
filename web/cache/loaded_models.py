"""Cached models, and results that depend on a model alone."""

from collections.abc import Callable
from contextlib import nullcontext
from math import sqrt
from typing import TypeVar

import numpy as np
import torch

from model import HeadlightError, LoadedModel, NotDownloadedError, model_info
from model.analysis.anatomy import Anatomy, anatomy
from model.capture.sites import to_cpu
from model.catalogue.causal import LoadedCausal
from model.catalogue.models import load_reader, load_translator
from model.catalogue.names import canonical_name, is_listed
from model.catalogue.translator import LoadedTranslator
from model.transformer import positions
from web import settings
from web.cache import uploaded_captures
from web.cache.shared_cache import MB, SMALL_BYTES, shared
from web.inference.compute_queue_ui import show_wait_message
from web.inference.operations import forward_queue, load_queue
from web.language import _, plain

Model = TypeVar("Model")


def loaded_model(name: str) -> LoadedModel:
    """A model by any of its names, if the settings allow it; never downloads."""
    return loaded(cache_name(name))


def cache_name(name: str) -> str:
    """A model's canonical name. Without permission for other models, no folder is inspected."""
    return canonical_name(name) if _is_allowed(name) else name


def _is_allowed(name: str) -> bool:
    allowed = settings.now()
    if allowed.any_model or is_listed(name):
        return True
    return name in (*allowed.models, *map(canonical_name, allowed.models))


@shared(2048 * MB, min_entries=2)
def loaded(name: str) -> LoadedModel:
    """A model by its canonical name; see :func:`loaded_model`."""
    return _load_if_allowed(name, load_reader)


def translator(name: str) -> LoadedTranslator:
    """A translator by any of its names, if the settings allow it; never downloads."""
    return loaded_translator(cache_name(name))


@shared(1024 * MB, min_entries=2)
def loaded_translator(name: str) -> LoadedTranslator:
    """A translator by its canonical name; see :func:`translator`."""
    return _load_if_allowed(name, load_translator)


def is_decoder(name: str) -> bool:
    """Return whether a model is a decoder with a language head."""
    return isinstance(loaded_model(name), LoadedCausal)


def decoder(name: str) -> LoadedCausal:
    """A decoder by any of its names; see :func:`loaded_model`."""
    model = loaded_model(name)
    if not isinstance(model, LoadedCausal):
        raise HeadlightError(
            "{model} cannot write text. Choose a decoder with a language-model head, such as "
            "smollm2.",
            model=model.name,
        )
    return model


def _load_if_allowed(name: str, load: Callable[..., Model]) -> Model:
    if uploaded_captures.is_file(name):
        raise HeadlightError(
            "{file} is a file of attention weights, without the model that made them, which is "
            "necessary here. Choose a model.",
            file=uploaded_captures.file_name(name),
        )
    if not _is_allowed(name):
        raise HeadlightError(
            "This server allows only the models of its list, and {name} is not on it. Its "
            "administrator can allow any model (--allow-any-model).",
            name=name,
        )
    words = _("Loading {model}. This takes a few seconds.").format(model=plain(name))
    # Models of the catalogue are small.
    turn = nullcontext() if is_listed(name) else load_queue.turn()
    try:
        with turn, show_wait_message(words):
            return load(name, download=False, place=settings.now().placement)
    except NotDownloadedError as error:
        if settings.now().downloads:
            raise
        raise HeadlightError(
            "{name} is not on this server, and visitors may not download it. The administrator "
            "can allow downloads (--downloads).",
            name=name,
        ) from error


@shared(SMALL_BYTES, min_entries=2)
def parts(name: str) -> Anatomy:
    """The parts of a model that reads, or of a translator of the catalogue."""
    is_translator = model_info(name).kind == "translator"
    model = translator(name) if is_translator else loaded_model(name)
    with forward_queue.turn():
        return anatomy(model)


@shared(SMALL_BYTES, min_entries=2)
def kinship(ours: str, theirs: str) -> float:
    """Cosine between the W^O weights of two models, over all layers; 0 if their shapes differ."""
    models = [loaded_model(name) for name in (ours, theirs)]
    with forward_queue.turn(heavy=True):
        first, second = (
            [to_cpu(output.get_parameter("weight").detach()) for output in model.outputs]
            for model in models
        )
        if [weight.shape for weight in first] != [weight.shape for weight in second]:
            return 0.0

        def dot(ones: list[torch.Tensor], others: list[torch.Tensor]) -> float:
            return sum(float((a * b).sum()) for a, b in zip(ones, others, strict=True))

        return dot(first, second) / sqrt(dot(first, first) * dot(second, second))


@shared(32 * MB, min_entries=2)
def position_cosines(name: str) -> np.ndarray:
    """Cosines between all rows of a position table, (P, P); LookupError without a table."""
    table = loaded_model(name).position_table
    if table is None:
        raise LookupError(name)
    array: np.ndarray = positions.cosines(table).numpy()
    array.flags.writeable = False
    return array
