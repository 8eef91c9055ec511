"""Fixtures that load slow models once."""

from pathlib import Path

import pytest

from model import LoadedCausal, LoadedModel, load_model
from tests.model import checkpoints, decoder_checkpoints
from web.server import warmup

ANIMAL = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """As on the server. With more threads the order of a sum, and so its last bit, may change."""
    warmup.use_one_thread()


@pytest.fixture(scope="session")
def minilm() -> LoadedModel:
    return load_model("minilm")


@pytest.fixture(scope="session")
def scratch() -> LoadedModel:
    return load_model("scratch")


@pytest.fixture(scope="session")
def scratch_minilm() -> LoadedModel:
    return load_model("scratch-minilm")


@pytest.fixture(scope="session")
def family_folders(tmp_path_factory) -> dict[str, Path]:
    """A tiny random checkpoint of each family, as written by save_pretrained."""
    root = tmp_path_factory.mktemp("families")
    return {family: checkpoints.save(family, root / family) for family in checkpoints.FAMILIES}


@pytest.fixture(scope="session")
def families(family_folders) -> dict[str, LoadedModel]:
    return {family: load_model(str(folder)) for family, folder in family_folders.items()}


@pytest.fixture(scope="session")
def smollm2() -> LoadedCausal:
    return load_model("smollm2")


@pytest.fixture(scope="session")
def decoder_folders(tmp_path_factory) -> dict[str, Path]:
    """A tiny random decoder of each family, as written by save_pretrained."""
    root = tmp_path_factory.mktemp("decoders")
    return {f: decoder_checkpoints.save(f, root / f) for f in decoder_checkpoints.FAMILIES}


@pytest.fixture(scope="session")
def decoders(decoder_folders) -> dict[str, LoadedCausal]:
    return {family: load_model(str(folder)) for family, folder in decoder_folders.items()}


@pytest.fixture(autouse=True)
def private_hub_cache(tmp_path, monkeypatch):
    """Keep tests away from the user's hub cache."""
    cache = tmp_path / "hub-cache"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))
    return cache
