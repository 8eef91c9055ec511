"""Fixtures shared with the tests of the models."""

from tests.model.catalogue.pretrained.conftest import opened
from tests.model.conftest import one_thread

__all__ = ["one_thread", "opened"]
