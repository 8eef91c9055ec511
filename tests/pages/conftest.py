"""Fixtures that run whole pages in AppTest, with the embedded model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from web import streamlit_patches
from web.server import warmup
from web.view_state import address

ROUTER = Path(__file__).parents[2] / "pages" / "router.py"


def first_visit(page: str) -> AppTest:
    """A session whose first request is for a page's URL ("" for Explore); not run yet.

    ``AppTest.switch_page`` needs a first run of the router. Before it, AppTest identifies a page by
    the name of its file, and each page's file is page.py.
    """
    session = AppTest.from_file(str(ROUTER), default_timeout=60)
    session._page_hash = calc_hash(page)
    return session


@pytest.fixture(autouse=True)
def disable_fragment_reruns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typed sentence reruns the whole page; tests/browser covers the rerun of a fragment.

    AppTest forgets the list of pages between two runs, and that fragment draws links to pages.
    """
    monkeypatch.setattr(address, "only", lambda *_asked: False)


@pytest.fixture(scope="session", autouse=True)
def patched() -> None:
    """Install the patches of Streamlit, as on the server."""
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
