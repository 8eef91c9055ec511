"""Whole pages run as Streamlit runs them, with the real embedded model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.common import warm

ROUTER = Path(__file__).parents[2] / "pages" / "router.py"


@pytest.fixture(scope="session", autouse=True)
def warmed_up() -> Iterator[None]:
    """The thread that pages start must end before Python does: it is deep inside C libraries."""
    yield
    if warm.start.cache_info().currsize:
        warm.start().join()
