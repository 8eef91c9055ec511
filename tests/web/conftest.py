"""Fixtures shared with the tests of the pages."""

from tests.pages.conftest import disable_fragment_reruns, patched, use_one_thread

__all__ = ["disable_fragment_reruns", "patched", "use_one_thread"]
