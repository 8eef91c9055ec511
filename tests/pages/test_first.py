"""What is shown first is given a head start, by the bytes that it sends."""

from types import SimpleNamespace

import pytest

from pages.shared import first
from tests.pages.conftest import first_visit


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were waited."""
    waited: list[float] = []
    monkeypatch.setattr(first, "time", SimpleNamespace(sleep=waited.append))
    return waited


def test_what_follows_waits_for_all_that_was_sent(naps: list[float]) -> None:
    first.sending(1_000_000)  # before: none of its business
    with first.shown_first():
        first.sending(2_000_000)
        first.sending(400_000)
        assert not naps
    assert naps == [pytest.approx(0.05 + 0.036)]


def test_nothing_is_waited_for_if_drawing_failed(naps: list[float]) -> None:
    with pytest.raises(RuntimeError), first.shown_first():
        raise RuntimeError
    assert not naps


def test_explore_waits_once_a_run_for_both_overviews(naps: list[float]) -> None:
    session = first_visit("").run()
    assert not session.exception
    pixels = 2 * 72 * 16 * 16  # of two models' 72 heads on 16 tokens, a byte each at least
    assert len(naps) == 1
    assert naps[0] > 0.05 + 15e-9 * pixels
    session.selectbox(key="layer").set_value(5).run()
    assert len(naps) == 2
