"""Answers are computed once: for all visitors, and in a run whatever is kept for them."""

import gc
import threading
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

import numpy as np
import pytest

from model import AttentionCapture, LoadedModel
from model.analysis.intervention import Intervention
from pages.shared import captures, compared, loading, settings, texts
from pages.shared.once import InUse, Shared, shared, size_of
from pages.shared.recipe import Recipe
from tests.pages.conftest import first_visit

# -- for everybody -------------------------------------------------------------------------------


def test_whoever_asks_for_what_another_computes_waits_for_it() -> None:
    asked, go_on, calls = threading.Event(), threading.Event(), Counter[int]()

    @shared(1000)
    def slow(number: int) -> list[int]:
        calls[number] += 1
        asked.set()
        go_on.wait(10)
        return [number]

    with ThreadPoolExecutor(5) as visitors:
        answers = [visitors.submit(slow, 7) for _ in range(5)]
        assert asked.wait(10)
        go_on.set()
        assert all(answer.result(10) is answers[0].result(10) for answer in answers)
    assert calls == {7: 1}


def test_a_server_with_less_memory_keeps_less(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[int]()

    @shared(48_000)
    def answer(number: int) -> np.ndarray:
        calls[number] += 1
        return np.zeros(1_000, dtype=np.int8)

    # Before it is first asked, as the server's settings come after its imports.
    monkeypatch.setattr(settings, "_settings", settings.Settings(memory=600))  # an eighth
    for number in (*range(7), 6, 0):
        answer(number)
    assert answer.kept.cache.maxsize == 6_000
    assert calls == {0: 2, **dict.fromkeys(range(1, 7), 1)}


def test_a_computation_that_fails_lets_the_next_one_try() -> None:
    asked, go_on, calls = threading.Event(), threading.Event(), Counter[int]()

    @shared(1000)
    def broken_at_first(number: int) -> int:
        calls[number] += 1
        if calls[number] == 1:
            asked.set()
            go_on.wait(10)
            raise ValueError("at first")
        return number

    with ThreadPoolExecutor(3) as visitors:
        first = visitors.submit(broken_at_first, 7)
        assert asked.wait(10)
        others = [visitors.submit(broken_at_first, 7) for _ in range(2)]
        go_on.set()
        with pytest.raises(ValueError, match="at first"):
            first.result(10)
        assert [other.result(10) for other in others] == [7, 7]
    assert calls == {7: 2}


def test_the_oldest_are_forgotten_by_bytes_and_what_was_asked_counts_too() -> None:
    calls = Counter[str]()

    @shared(10_000)
    def answer(text: str) -> np.ndarray:
        calls[text] += 1
        return np.zeros(100, dtype=np.uint8)

    for text in ("a" * 4000, "b" * 4000, "a" * 4000, "c" * 4000, "b" * 4000):
        answer(text)
        assert answer.kept.cache.currsize <= 10_000
    # At c there is no room for three texts: b, which was not asked for again, is forgotten.
    assert calls == {"a" * 4000: 1, "b" * 4000: 2, "c" * 4000: 1}


def test_so_many_answers_as_one_visitor_looks_at_stay_however_large() -> None:
    calls = Counter[str]()

    @shared(1000, at_once=2)
    def large(name: str) -> np.ndarray:
        calls[name] += 1
        return np.zeros(5000, dtype=np.uint8)

    for _ in range(3):
        large("left"), large("right")
    assert calls == {"left": 1, "right": 1}
    large("third")
    assert len(large.kept.cache) == 2


@dataclass(frozen=True)
class Pair:
    first: np.ndarray
    second: tuple[str, ...]


def test_a_size_is_that_of_all_parts() -> None:
    array = np.zeros((3, 5), dtype=np.float32)
    empty_tuple, one_letter = ().__sizeof__(), "x".__sizeof__()
    assert size_of(array) == 60
    assert size_of("x") == one_letter
    assert size_of([array, array]) >= 120
    assert size_of({"x": array}) >= 60 + one_letter
    assert size_of(Pair(array, ("x", "x"))) >= 60 + 2 * one_letter + empty_tuple
    assert size_of(frozenset({(1, 2)})) > size_of(frozenset())
    recipe = Recipe("left", "m", "a" * 1000, None, False, "show", Intervention(frozenset({(1, 2)})))
    assert 1000 < size_of(recipe) < 3000


# -- in a run ------------------------------------------------------------------------------------


def keep_nothing(of: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of.kept, "cache", InUse(0, itemgetter(1)))


@pytest.fixture
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """No budget at all, but for models, which would take seconds to load."""
    for each in chain.from_iterable(vars(m).values() for m in (loading, captures, texts, compared)):
        if isinstance(each, Shared) and each is not loading.loaded:
            keep_nothing(each, monkeypatch)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many captures each model has made."""
    counted: Counter[str] = Counter()
    attend = LoadedModel.attend

    def counting(self: LoadedModel, text: str, text_pair: str | None = None) -> object:
        counted[self.name] += 1
        return attend(self, text, text_pair)

    monkeypatch.setattr(LoadedModel, "attend", counting)
    return counted


EVERY_PART = [
    ("", {}),
    ("", {"view": "lines", "picked": "2"}),
    *(("layers", {"part": part}) for part in ("layers", "profile", "similarity", "difference")),
    *(("heads", {"part": part}) for part in ("labels", "links", "map", "corpus")),
    ("heads", {"part": "change", "off": "0-1"}),
]


@pytest.mark.parametrize(("page", "wanted"), EVERY_PART)
@pytest.mark.usefixtures("nothing_is_kept")
def test_a_run_makes_one_forward_pass_a_side_whatever_is_kept(
    page: str, wanted: dict[str, str], passes: Counter[str]
) -> None:
    session = first_visit(page)
    session.query_params.update({"text": f"One pass for {page} {wanted}", **wanted})
    session.run()  # warms up, perhaps, and has then made more
    passes.clear()
    session.run()
    assert not session.exception
    assert passes == {"scratch": 1, "minilm": 1}


@pytest.mark.usefixtures("nothing_is_kept")
def test_when_a_run_has_ended_nothing_of_it_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[AttentionCapture]] = []
    attend = LoadedModel.attend

    def watching(self: LoadedModel, text: str, text_pair: str | None = None) -> AttentionCapture:
        captured = attend(self, text, text_pair)
        held.append(weakref.ref(captured))
        return captured

    monkeypatch.setattr(LoadedModel, "attend", watching)
    session = first_visit("")
    session.run()
    assert not session.exception
    gc.collect()
    assert held
    assert not [each for each in held if each() is not None]


@pytest.mark.usefixtures("nothing_is_kept")
def test_a_callback_and_the_run_after_it_share_their_forward_passes(passes: Counter[str]) -> None:
    session = first_visit("heads")
    session.query_params.update({"part": "links", "text": "A callback looks first"})
    session.run()
    session.button_group(key="link_query").set_value([1]).run()
    passes.clear()
    session.button_group(key="link_key").set_value([2]).run()
    assert not session.exception
    assert session.dataframe
    assert passes == {"scratch": 1, "minilm": 1}


def test_a_rerun_of_what_exceeds_the_budget_makes_no_forward_pass(
    passes: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = shared(1000, at_once=2)(captures.read.__wrapped__)
    monkeypatch.setattr(captures, "read", small)
    session = first_visit("")
    session.query_params["text"] = "Both sides are larger than the budget"
    session.run().run()
    passes.clear()
    session.run()
    assert not session.exception
    assert not passes


def test_no_second_run_for_a_way_to_switch_off_no_head() -> None:
    uniform = Recipe("left", "minilm", "hello", None, False, "show", Intervention(how="uniform"))
    plain = Recipe("left", "minilm", "hello", None, False, "show")
    assert uniform.outcome() is plain.outcome()
    # And of its weights alone the plain capture knows all: no second pass for them.
    assert uniform.show().capture is plain.show().capture
    unhidden = replace(plain, change=Intervention())
    assert unhidden.show().capture is plain.show().capture
    np.testing.assert_array_equal(plain.outcome().capture.weights, plain.show().capture.weights)


def test_nothing_is_kept_for_a_run_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[int]()

    @shared(1000)
    def answer(number: int) -> int:
        calls[number] += 1
        return number

    keep_nothing(answer, monkeypatch)
    assert answer(3) == answer(3) == 3
    assert calls == {3: 2}
