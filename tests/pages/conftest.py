"""Fixtures that run whole pages in AppTest, with the embedded model."""

from collections.abc import Iterator

import pytest

from web import streamlit_patches
from web.server import warmup


@pytest.fixture(scope="session", autouse=True)
def patched() -> None:
    streamlit_patches.install()


@pytest.fixture(scope="session", autouse=True)
def use_one_thread() -> Iterator[None]:
    """Use one thread, as on the server, so that expected values are computed in the same order.

    The warm-up thread must end before Python does, because it runs code of C libraries.
    """
    warmup.use_one_thread()
    yield
    if warmup.start.cache_info().currsize:
        warmup.start().join()
