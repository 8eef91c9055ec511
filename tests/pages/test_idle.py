"""Models and answers that nobody asks for are let go of, and come back when somebody does."""

import gc
import time
import weakref
from collections import Counter

import numpy as np
import pytest
import streamlit as st

from model import HeadlightError, LoadedModel
from model.catalogue.models import load_reader
from model.passes import told
from pages.shared import captures, kept, loading, once, settings, turns, warm
from pages.shared.once import InUse, Shared
from tests.pages.conftest import first_visit

MINUTE = 60.0


class Clock:
    """Shows what it is set to."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Of a server that lets go of what nobody asked for in seven minutes."""
    monkeypatch.setattr(settings, "_settings", settings.Settings(idle=7))
    monkeypatch.setattr(Shared, "of_process", [])
    return Clock()


def of(compute, clock: Clock, n_bytes: int = 10_000) -> Shared:
    return Shared(compute, n_bytes, 1, clock)


def test_what_is_asked_for_stays_and_what_is_not_goes(clock: Clock) -> None:
    calls = Counter[str]()

    def answer(name: str) -> list[str]:
        calls[name] += 1
        return [name]

    shared = of(answer, clock)
    first = shared("busy")
    shared("idle"), shared.stay("needed")
    for _ in range(5):
        clock.now += 3 * MINUTE
        assert shared("busy") is first
        once.forget_idle()
    assert len(shared.kept.cache) == 2 and shared.kept.cache.currsize > 0
    shared("busy"), shared("needed"), shared("idle")
    assert calls == {"busy": 1, "needed": 1, "idle": 2}


def test_what_stays_for_all_time_makes_room_all_the_same(clock: Clock) -> None:
    shared = of(lambda name: np.zeros(600, dtype=np.int8), clock, 2_000)
    shared.stay("needed")
    for name in "ab":
        shared(name)
    assert shared.kept.cache_key("needed") not in shared.kept.cache
    shared.stay("needed"), shared("a")
    clock.now += 8 * MINUTE
    assert once.forget_idle() == 1
    assert list(shared.kept.cache) == [shared.kept.cache_key("needed")]


def test_asking_again_costs_no_bytes(clock: Clock) -> None:
    """Its time begins anew, and it is still one."""
    cache = InUse(100, len, clock)
    cache["a"], cache["b"] = b"x" * 60, b"y" * 30
    for _ in range(1_000):
        clock.now += 1
        assert cache["a"] == b"x" * 60
    assert (len(cache), cache.currsize) == (1, 60)  # b was not asked for in a thousand seconds
    cache["c"], cache["d"] = b"z" * 30, b"w" * 30
    assert set(cache) == {"c", "d"}


def test_a_model_that_nobody_uses_is_gone_and_back_at_the_next_act(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm.start().join()  # which reads models of its own
    read = list[weakref.ref[LoadedModel]]()

    def load(name: str, *, download: bool) -> LoadedModel:
        read.append(weakref.ref(model := load_reader(name, download=download)))
        return model

    monkeypatch.setattr(loading, "load_reader", load)
    for module, name in ((loading, "loaded"), (captures, "read")):
        shared = getattr(module, name)
        monkeypatch.setattr(module, name, Shared(shared.__wrapped__, 2**30, 2, clock))
    session = first_visit("")
    asked = {"left": "scratch-untrained", "right": "scratch-untrained", "text": "Gone for lunch"}
    session.query_params.update(asked)
    session.run()
    before = session.get("bidi_component")[0].proto.SerializeToString()
    assert len(read) == len(captures.read.kept.cache) == 1
    clock.now += 8 * MINUTE
    assert once.forget_idle() == 2
    gc.collect()
    assert read[0]() is None
    session.run()
    assert not session.exception
    assert len(read) == 2
    assert session.get("bidi_component")[0].proto.SerializeToString() == before


def test_weights_that_a_page_may_ask_for_go_too(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = InUse(1_000, len, clock)
    monkeypatch.setattr(kept, "_kept", lambda: cache)
    kept.keep(b"0123456789")
    clock.now += 8 * MINUTE
    assert kept.forget_idle() == 1
    assert kept.keep(b"0123456789").startswith(kept.AT) and len(cache) == 1


def test_what_takes_long_to_come_back_is_said_while_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = list[str]()
    monkeypatch.setattr(turns, "TELL_AFTER", 0.05)
    monkeypatch.setattr(turns._Teller, "say", lambda self, words: said.append(words))

    def slow(name: str, *, download: bool) -> LoadedModel:
        time.sleep(0.3 if name == "scratch" else 0)
        raise HeadlightError("None of {name}.", name=name)

    monkeypatch.setattr(loading, "load_reader", slow)
    unread = Shared(loading.loaded.__wrapped__, 2**30, 2)
    with told(turns._Teller(st.empty())):
        for name in ("minilm", "scratch"):
            with pytest.raises(HeadlightError):
                unread(name)
    assert said == ["", "scratch is being read: some seconds, this once.", ""]
