"""Tiny checkpoints, saved once."""

import functools
import shutil

import pytest

from tests.model import parity


@pytest.fixture(scope="session")
def opened(tmp_path_factory):
    """Save a tiny random model of a type, once; its model is loaded once too."""
    root = tmp_path_factory.mktemp("types")
    return functools.cache(
        lambda model_type: parity.Case(model_type, parity.save(model_type, root / model_type))
    )


@pytest.fixture
def copied(opened, tmp_path):
    """Copy the checkpoint of a type, to change it."""

    def copied(model_type="bert"):
        return shutil.copytree(opened(model_type).folder, tmp_path / f"tiny-{model_type}")

    return copied
