"""The cache shared by sessions, and the results of a run."""

import gc
import threading
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from operator import itemgetter

import numpy as np
import pytest

from model import AttentionCapture, LoadedModel
from model.analysis.intervention import Intervention
from tests.pages.figures import payloads
from tests.pages.visit import Visit
from web import settings
from web.cache import captures, generated_texts, loaded_models
from web.cache.shared_cache import IdleExpiryCache, SharedFunction, shared, size_of
from web.subject import Subject
from web.widgets import head_comparison

# -- all sessions -------------------------------------------------------------------------------


def test_concurrent_calls_wait_for_one_computation_and_compute_again_after_a_failure() -> None:
    called, go_on, calls = threading.Event(), threading.Event(), Counter[int]()

    @shared(1000)
    def broken_at_first(number: int) -> list[int]:
        calls[number] += 1
        called.set()
        go_on.wait(10)
        if calls[number] == 1:
            raise ValueError("at first")
        return [number]

    with ThreadPoolExecutor(5) as visitors:
        first = visitors.submit(broken_at_first, 7)
        assert called.wait(10)
        others = [visitors.submit(broken_at_first, 7) for _ in range(4)]
        go_on.set()
        with pytest.raises(ValueError, match="at first"):
            first.result(10)
        assert all(other.result(10) is others[0].result(10) for other in others)
    assert calls == {7: 2}


def test_the_memory_setting_scales_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = shared(48_000)(lambda number: number)
    # Set after the decorator, as the server's settings are set after its imports.
    monkeypatch.setattr(settings, "_settings", settings.Settings(memory=600))  # an eighth
    answer(1)
    assert answer.cached.cache.maxsize == 6_000


def test_eviction_counts_the_bytes_of_arguments_and_results() -> None:
    calls = Counter[str]()

    @shared(10_000)
    def answer(text: str) -> np.ndarray:
        calls[text] += 1
        return np.zeros(100, dtype=np.uint8)

    for text in ("a" * 4000, "b" * 4000, "a" * 4000, "c" * 4000, "b" * 4000):
        answer(text)
        assert answer.cached.cache.currsize <= 10_000
    # Three texts do not fit: c evicts b, which was used least recently.
    assert calls == {"a" * 4000: 1, "b" * 4000: 2, "c" * 4000: 1}


def test_min_entries_results_stay_cached_at_any_size() -> None:
    large = shared(1000, min_entries=2)(lambda name: np.zeros(5000, dtype=np.uint8))
    left, right = large("left"), large("right")
    assert large("left") is left and large("right") is right
    large("third")
    assert large("left") is not left and len(large.cached.cache) == 2


def test_a_size_includes_all_parts() -> None:
    array = np.zeros((3, 5), dtype=np.float32)
    assert size_of(array) == 60
    assert size_of([array, array]) >= 120 and size_of({"x": array}) >= 60 + size_of("x")
    assert size_of(frozenset({(1, 2)})) > size_of(frozenset())
    change = Intervention(frozenset({(1, 2)}))
    request = Subject("left", "m", "a" * 1000, None, False, "show", change)
    assert 1000 < size_of(request) < 3000


@pytest.fixture
def without_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """No budget, except for models: loading them takes seconds."""
    for each in chain.from_iterable(
        vars(m).values() for m in (loaded_models, captures, generated_texts, head_comparison)
    ):
        if isinstance(each, SharedFunction) and each is not loaded_models.loaded:
            monkeypatch.setattr(each.cached, "cache", IdleExpiryCache(0, itemgetter(1)))


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[AttentionCapture]]:
    """The captures that are computed."""
    found: list[weakref.ref[AttentionCapture]] = []
    attend = LoadedModel.attend

    def watching(self: LoadedModel, *texts: str | None) -> AttentionCapture:
        captured = attend(self, *texts)
        found.append(weakref.ref(captured))
        return captured

    monkeypatch.setattr(LoadedModel, "attend", watching)
    return found


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("", {"view": "lines", "picked": "2"}),
        ("layers", {"part": "difference", "against": "model"}),
        ("heads", {"part": "change", "off": "0-1"}),
    ],
)
@pytest.mark.usefixtures("without_cache")
def test_a_run_makes_one_forward_pass_per_side_without_a_cache(
    page: str, wanted: dict[str, str], passes: list[weakref.ref[AttentionCapture]]
) -> None:
    session = Visit(page)
    session.query_params.update({"text": f"One pass for {page} {wanted}", **wanted})
    session.run()  # the first run may include the warm-up
    passes.clear()
    session.run()
    assert not session.exception
    gc.collect()
    assert len(passes) == 2 and not [each for each in passes if each() is not None]  # both freed


@pytest.mark.usefixtures("without_cache")
def test_a_callback_and_its_run_share_their_forward_passes(passes: list[object]) -> None:
    session = Visit("heads")
    session.query_params.update({"part": "links", "text": "A callback looks first"})
    session.run()
    session.multiselect(key="link_query").set_value([1]).run()
    passes.clear()
    session.multiselect(key="link_key").set_value([2]).run()
    assert not session.exception
    assert "links_table" in payloads(session) and len(passes) == 2
