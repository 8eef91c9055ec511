"""What the tests of `web` share with those of the pages."""

from tests.pages.conftest import drawn_whole, patched, warmed_up
from web.view_state import page_registry

__all__ = ["drawn_whole", "patched", "warmed_up"]

page_registry.register("pages.urls")
