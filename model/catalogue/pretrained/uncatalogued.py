"""Loading of models outside the catalogue, from a folder or from the hub."""

import os
from pathlib import Path

from model.capture.sites import Stack
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.pretrained import hub
from model.catalogue.pretrained.encoder_decoders import is_encoder_decoder, load_encoder_decoder
from model.catalogue.pretrained.folder import ENCODER_OR_DECODER, load_folder
from model.catalogue.translator import LoadedTranslator


def load_reader(name: str, *, download: bool, of: tuple[Stack, ...]) -> LoadedModel:
    """Load an encoder or a decoder.

    Args:
        name: A path, or owner/name on the hub.
        download: Download a hub model that is not in the local cache.
        of: The allowed stacks; see :func:`load_folder`.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read.
    """
    return load_folder(name, _located(name, download=download), of)


def load_translator(name: str, *, download: bool) -> LoadedTranslator:
    """Load an encoder-decoder.

    Args:
        name: A path, or owner/name on the hub.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read.
    """
    return load_encoder_decoder(name, _located(name, download=download))


def load_any(name: str, *, download: bool) -> LoadedModel | LoadedTranslator:
    """Load a model of the kind that its config.json names.

    Args:
        name: A path, or owner/name on the hub.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read.
    """
    folder = _located(name, download=download)
    if is_encoder_decoder(name, folder):
        return load_encoder_decoder(name, folder)
    return load_folder(name, folder, ENCODER_OR_DECODER)


def _located(name: str, *, download: bool) -> Path:
    # Unlike Path.is_dir, os.path.isdir is False for "" and for strings that are not paths.
    if os.path.isdir(name):
        return Path(name)
    try:
        return hub.downloaded_folder(name)
    except hub.NotDownloadedError:
        if not download:
            raise
        return hub.download(name)
