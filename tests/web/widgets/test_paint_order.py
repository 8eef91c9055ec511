"""The delay after the first elements of a page is proportional to their payload."""

from types import SimpleNamespace

import pytest

from tests.pages.conftest import first_visit
from web.widgets import paint_order


@pytest.fixture
def sleeps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each call of ``sleep``."""
    waited: list[float] = []
    monkeypatch.setattr(paint_order, "time", SimpleNamespace(sleep=waited.append))
    return waited


def test_the_block_ends_with_a_pause_for_all_sent_bytes(sleeps: list[float]) -> None:
    paint_order.count_sent_bytes(1_000_000)  # sent before the block, so not counted
    with paint_order.painted_first():
        paint_order.count_sent_bytes(2_000_000)
        paint_order.count_sent_bytes(400_000)
        assert not sleeps
    assert sleeps == [pytest.approx(0.05 + 0.036)]


def test_an_error_in_the_block_causes_no_pause(sleeps: list[float]) -> None:
    with pytest.raises(RuntimeError), paint_order.painted_first():
        raise RuntimeError
    assert not sleeps


def test_explore_pauses_once_per_run_for_both_overviews(sleeps: list[float]) -> None:
    session = first_visit("").run()
    assert not session.exception
    # 2 models with 72 heads, 16 tokens: at least one byte for each weight.
    pixels = 2 * 72 * 16 * 16
    assert len(sleeps) == 1
    assert sleeps[0] > 0.05 + 15e-9 * pixels
    session.selectbox(key="layer").set_value(5).run()
    assert len(sleeps) == 2
