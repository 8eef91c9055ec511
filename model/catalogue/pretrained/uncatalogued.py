"""Loading of models outside the catalogue, from a folder or from the hub."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from transformers import AutoModelForSeq2SeqLM, PreTrainedModel

from model.capture.sites import Stack
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.names import canonical_name
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import hub
from model.catalogue.pretrained.adapters import base_name, is_adapter, merge
from model.catalogue.pretrained.encoder_decoders import (
    is_encoder_decoder,
    load_encoder_decoder,
    read_encoder_decoder,
)
from model.catalogue.pretrained.folder import ENCODER_OR_DECODER, load_folder, read_plan
from model.catalogue.pretrained.gguf_models import ENDING, file_in, load_gguf
from model.catalogue.pretrained.size_limits import check_memory, required_weights
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError

Model = TypeVar("Model", bound=LoadedModel | LoadedTranslator)


def load_reader(
    name: str, *, download: bool, of: tuple[Stack, ...], place: Placement = CPU
) -> LoadedModel:
    """Load an encoder or a decoder.

    Args:
        name: A path, or owner/name on the hub.
        download: Download a hub model that is not in the local cache.
        of: The allowed stacks; see :func:`load_folder`.
        place: Where the model runs.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read.
    """

    def load(name: str, path: Path) -> LoadedModel:
        if (file := file_in(path)) is None:
            return load_folder(name, path, of, place)
        if "decoder" not in of:
            raise HeadlightError("{name} is a decoder. This page shows encoders.", name=name)
        return load_gguf(name, file, place)

    return _load(name, download, place, load)


def load_translator(name: str, *, download: bool, place: Placement = CPU) -> LoadedTranslator:
    """Load an encoder-decoder.

    Args:
        name: A path, or owner/name on the hub.
        download: Download a hub model that is not in the local cache.
        place: Where the model runs.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read.
    """

    def load(name: str, path: Path) -> LoadedTranslator:
        if file_in(path) is not None:
            raise HeadlightError(
                "{name} is a GGUF file with a decoder, which does not translate. Choose an "
                "encoder-decoder.",
                name=name,
            )
        return load_encoder_decoder(name, path, place)

    return _load(name, download, place, load)


def load_any(
    name: str, *, download: bool, place: Placement = CPU
) -> LoadedModel | LoadedTranslator:
    """Load a model of the kind that its config.json names.

    Args:
        name: A path, or owner/name on the hub.
        download: Download a hub model that is not in the local cache.
        place: Where the model runs.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read.
    """

    def load(name: str, path: Path) -> LoadedModel | LoadedTranslator:
        if (file := file_in(path)) is not None:
            return load_gguf(name, file, place)
        if is_encoder_decoder(name, path):
            return load_encoder_decoder(name, path, place)
        return load_folder(name, path, ENCODER_OR_DECODER, place)

    return _load(name, download, place, load)


def _load(name: str, download: bool, place: Placement, load: Callable[[str, Path], Model]) -> Model:
    """Find a model and load it; merge an adapter with its base model."""
    path = _located(name, download, place)
    if not is_adapter(path):
        return load(name, path)
    base = canonical_name(base_name(name, path))
    try:
        base_path = _located(base, download, place)
    except HeadlightError as error:
        raise HeadlightError(
            "{name} is an adapter (LoRA) of {base}, which is not on this machine. Open {base} "
            "first, or write its folder into base_model_name_or_path of the adapter_config.json.",
            name=name,
            base=base,
        ) from error
    model = load(base, base_path)
    merge(name, path, base, cast(PreTrainedModel, model.module), place)
    return replace(model, name=name)


def download_checked(
    name: str,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    place: Placement = CPU,
) -> Path:
    """Download a hub model, after a check of its type and size.

    Args:
        name: owner/name on the hub.
        on_progress: Called with (downloaded bytes, all bytes).
        place: Where the model will run, which decides how much memory it needs.

    Raises:
        HeadlightError: If the model cannot be reached, or cannot be loaded on this machine.
    """
    return hub.download(name, on_progress, check=partial(_check, name, place))


def _check(name: str, place: Placement, folder: Path) -> None:
    """Refuse a model by its config.json.

    Args:
        name: Name of the model.
        place: Where the model will run.
        folder: A folder with its config.json.

    Raises:
        HeadlightError: If its type or its size is not supported.
    """
    if is_encoder_decoder(name, folder):
        config, auto_class = read_encoder_decoder(name, folder)[1], AutoModelForSeq2SeqLM
    else:
        plan = read_plan(name, folder, ENCODER_OR_DECODER)
        config, auto_class = plan.config, plan.auto_class
    check_memory(name, required_weights(name, config, auto_class), place)


def _located(name: str, download: bool, place: Placement) -> Path:
    # Unlike Path.is_dir, os.path.isdir is False for "" and for strings that are not paths.
    if os.path.isdir(name) or (name.endswith(ENDING) and os.path.isfile(name)):
        return Path(name)
    if os.path.isabs(name):
        raise HeadlightError(
            "There is no folder or GGUF file {name} on the server's machine.", name=name
        )
    try:
        return hub.downloaded_folder(name)
    except hub.NotDownloadedError:
        if not download:
            raise
        return download_checked(name, place=place)
