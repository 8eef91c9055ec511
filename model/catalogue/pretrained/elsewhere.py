"""Models that are in no catalogue: of a folder, or of the hub."""

import os
from pathlib import Path

from model.capture.sites import Stack
from model.catalogue.loaded import LoadedModel
from model.catalogue.pretrained import hub
from model.catalogue.pretrained.folder import load_folder


def load_elsewhere(name: str, *, download: bool, of: tuple[Stack, ...]) -> LoadedModel:
    """Load a folder of this machine, or a hub model.

    Args:
        name: A path, or owner/name on the hub.
        download: Fetch what is not in the local cache.
        of: Encoders, decoders, or both; see :func:`load_folder`.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        HeadlightError: If the model cannot be found, reached or read.
    """
    # Unlike Path.is_dir, os.path.isdir is False for "" and for names that are no path.
    if os.path.isdir(name):
        return load_folder(name, Path(name), of)
    try:
        folder = hub.downloaded_folder(name)
    except hub.NotDownloadedError:
        if not download:
            raise
        folder = hub.download(name)
    return load_folder(name, folder, of)
