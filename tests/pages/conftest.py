"""Whole pages run as Streamlit runs them, with the real embedded model."""

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
    """A session whose first request is a page's own address, "" for Explore's; not yet run.

    Before the router has run, AppTest's own ``switch_page`` goes by the name of the file, and
    every page's is page.py.
    """
    session = AppTest.from_file(str(ROUTER), default_timeout=60)
    session._page_hash = calc_hash(page)
    return session


@pytest.fixture(autouse=True)
def drawn_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence that is typed has all of its page drawn; tests/browser has a part of it.

    AppTest forgets between two runs which pages there are, and that part draws links to them.
    """
    monkeypatch.setattr(address, "only", lambda *_asked: False)


@pytest.fixture(scope="session", autouse=True)
def patched() -> None:
    """The patches of Streamlit, as on the server."""
    streamlit_patches.install()


@pytest.fixture(scope="session", autouse=True)
def warmed_up() -> Iterator[None]:
    """One thread, as on the server: the true numbers are computed here in the same order.

    The thread that pages start must end before Python does: it is deep inside C libraries.
    """
    warmup.use_one_thread()
    yield
    if warmup.start.cache_info().currsize:
        warmup.start().join()
