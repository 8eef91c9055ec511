"""Fixtures shared with the tests of the pages."""

from tests.pages.conftest import patched, use_one_thread

__all__ = ["patched", "use_one_thread"]
