"""Models that are in no catalogue: of a folder, or of the hub."""

import os
from pathlib import Path

from model.capture.sites import Stack
from model.catalogue.loaded import LoadedModel
from model.catalogue.pretrained import hub
from model.catalogue.pretrained.encoder_decoders import is_encoder_decoder, load_encoder_decoder
from model.catalogue.pretrained.folder import EITHER, load_folder
from model.catalogue.translator import LoadedTranslator


def load_elsewhere(name: str, *, download: bool, of: tuple[Stack, ...]) -> LoadedModel:
    """Load a folder of this machine, or a hub model, that reads a text.

    Args:
        name: A path, or owner/name on the hub.
        download: Fetch what is not in the local cache.
        of: Encoders, decoders, or both; see :func:`load_folder`.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        HeadlightError: If the model cannot be found, reached or read.
    """
    return load_folder(name, _located(name, download=download), of)


def load_translator_elsewhere(name: str, *, download: bool) -> LoadedTranslator:
    """Likewise, one that reads a text and writes another."""
    return load_encoder_decoder(name, _located(name, download=download))


def load_whatever_it_is(name: str, *, download: bool) -> LoadedModel | LoadedTranslator:
    """Likewise, of the kind that its config.json names."""
    folder = _located(name, download=download)
    if is_encoder_decoder(name, folder):
        return load_encoder_decoder(name, folder)
    return load_folder(name, folder, EITHER)


def _located(name: str, *, download: bool) -> Path:
    # Unlike Path.is_dir, os.path.isdir is False for "" and for names that are no path.
    if os.path.isdir(name):
        return Path(name)
    try:
        return hub.downloaded_folder(name)
    except hub.NotDownloadedError:
        if not download:
            raise
        return hub.download(name)
