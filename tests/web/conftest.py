"""Fixtures shared with the tests of the pages."""

from tests.pages.conftest import disable_fragment_reruns, patched, use_one_thread
from web.view_state import page_registry

__all__ = ["disable_fragment_reruns", "patched", "use_one_thread"]

page_registry.register("pages.urls")
