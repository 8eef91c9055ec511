"""Loads of large models beside the queue of forward passes."""

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from typing import Any

import pytest

from model import LoadedModel
from model.catalogue.models import load_reader
from tests.web.inference.test_forward_queue import until
from web import settings
from web.cache import captures, loaded_models
from web.inference.operations import forward_queue, load_queue


def test_large_models_are_loaded_one_at_a_time_and_delay_no_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, go_on = SimpleQueue[str](), Event()

    def load(name: str, **options: Any) -> LoadedModel:
        if name.startswith("large/"):
            began.put(name)
            assert go_on.wait(60)
            name = "scratch-untrained"
        return load_reader(name, **options)

    monkeypatch.setattr(loaded_models, "load_reader", load)
    monkeypatch.setattr(settings, "_settings", settings.Settings(allow_any_model=True))
    with ThreadPoolExecutor(2) as visitors:
        try:
            first = visitors.submit(loaded_models.loaded, "large/one")
            assert began.get(timeout=60) == "large/one"
            second = visitors.submit(loaded_models.loaded, "large/two")
            until(lambda: len(load_queue._waiting) == 1)
            # Neither a light nor a heavy pass waits, nor a model of the catalogue.
            with forward_queue.turn(heavy=True):
                pass
            assert captures.capture("scratch-untrained", "Beside two loads.", None).n_layers
            assert began.empty() and not first.done() and not second.done()
        finally:
            go_on.set()
        assert first.result(60) is not second.result(60)
    assert began.get() == "large/two"
