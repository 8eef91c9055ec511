"""Models that the tests of the package model share."""

from tests.model.conftest import families, family_folders, minilm, one_thread

__all__ = ["families", "family_folders", "minilm", "one_thread"]
