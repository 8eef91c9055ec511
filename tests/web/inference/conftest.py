"""One thread, as in production."""

from tests.pages.conftest import use_one_thread

__all__ = ["use_one_thread"]
