"""Models and results without requests are evicted, and loaded again on request."""

import gc
import time
import weakref
from collections import Counter
from threading import current_thread, main_thread
from typing import Any

import pytest
import streamlit as st

from model import HeadlightError, LoadedModel
from model.catalogue.models import load_reader
from tests.pages.visit import open_page
from web import settings
from web.cache import captures, loaded_models, shared_cache
from web.cache.shared_cache import SharedFunction, SharedStore
from web.inference import compute_queue_ui
from web.inference.forward_queue import turns_of
from web.server import warmup

MINUTE = 60.0


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(settings, "_settings", settings.Settings(idle=7))
    monkeypatch.setattr(SharedStore, "instances", [])
    monkeypatch.setattr(shared_cache, "monotonic", clock := Clock())
    return clock


def test_used_results_stay_and_idle_results_are_evicted(clock: Clock) -> None:
    calls = Counter[str]()

    def answer(name: str) -> list[str]:
        calls[name] += 1
        return [name]

    shared = SharedFunction(answer, 10_000, 1)
    first = shared("busy")
    shared("idle"), shared.pin("needed")
    for _ in range(5):
        clock.now += 3 * MINUTE
        assert shared("busy") is first
        shared_cache.evict_idle()
    assert len(shared.cached.cache) == 2
    shared("busy"), shared("needed"), shared("idle")
    assert calls == {"busy": 1, "needed": 1, "idle": 2}


def test_an_idle_model_is_evicted_and_loaded_again(clock: Clock, monkeypatch) -> None:
    warmup.start().join()  # the warm-up loads models too
    read = list[weakref.ref[LoadedModel]]()

    def load(name: str, **options: Any) -> LoadedModel:
        read.append(weakref.ref(model := load_reader(name, **options)))
        return model

    monkeypatch.setattr(loaded_models, "load_reader", load)
    for module, name in ((loaded_models, "loaded"), (captures, "read")):
        shared = getattr(module, name)
        monkeypatch.setattr(module, name, SharedFunction(shared.__wrapped__, 2**30, 2))
    untrained = dict.fromkeys(("left", "right"), "scratch-untrained")
    session = open_page("", **untrained, text="Gone for lunch")
    before = session.get("bidi_component")[0].proto.SerializeToString()
    assert len(read) == len(captures.read.cached.cache) == 1
    clock.now += 8 * MINUTE
    assert shared_cache.evict_idle() == 2
    gc.collect()
    assert read[0]() is None
    session.run()
    assert len(read) == 2
    assert session.get("bidi_component")[0].proto.SerializeToString() == before


def test_idle_values_of_a_store_are_evicted(clock: Clock) -> None:
    store = SharedStore(1_000, len)
    store.put("mine", b"0123456789")
    store.put("too large", bytes(1_001))
    assert (store.get("mine"), store.get("too large")) == (b"0123456789", None)
    clock.now += 8 * MINUTE
    assert shared_cache.evict_idle() == 1
    assert store.get("mine") is None


def test_a_message_is_shown_while_a_slow_model_is_loaded(monkeypatch) -> None:
    messages = list[str]()
    monkeypatch.setattr(compute_queue_ui, "NOTIFY_AFTER", 0.05)

    def show(self: object, text: str) -> None:
        # A run that draws yields to a newer rerun request, and its model would be lost.
        messages.append(text if current_thread() is not main_thread() else "interrupted")

    monkeypatch.setattr(compute_queue_ui.QueueMessage, "show", show)

    def slow(name: str, **options: Any) -> LoadedModel:
        time.sleep(0.3 if name == "scratch" else 0)
        raise HeadlightError("None of {name}.", name=name)

    monkeypatch.setattr(loaded_models, "load_reader", slow)
    unread = SharedFunction(loaded_models.loaded.__wrapped__, 2**30, 2)
    with turns_of("", compute_queue_ui.QueueMessage(st.empty())):
        for name in ("minilm", "scratch"):
            with pytest.raises(HeadlightError):
                unread(name)
    assert messages == ["", "Loading scratch. This takes a few seconds.", ""]
