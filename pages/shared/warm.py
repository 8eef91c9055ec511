"""The server's first seconds: what the first visitor would otherwise wait for.

This module imports nothing heavy, so that a page can say what it waits for before torch is there.
"""

import gc
import importlib
import threading
from functools import cache

ready = threading.Event()
"""Set once a first forward pass has run."""

finished = threading.Event()
"""Set even if that failed: the pages then run, and say by themselves what is wrong."""


@cache
def start() -> threading.Thread:
    """Begin to warm up beside whatever else the server does; once, however often it is asked."""
    thread = threading.Thread(target=_warm_up, name="warm-up", daemon=True)
    thread.start()
    return thread


def _warm_up() -> None:
    """Import everything, load the two default models, run a first forward pass, draw a figure.

    Afterwards everything alive is moved out of the garbage collector's sight: it would walk all
    of torch again and again.
    """
    try:
        from model.catalogue.models import checkpoint_names
        from pages.shared import cache
        from pages.shared.parameters import DEFAULT_TEXT, VIEW
        from viz import attention_heatmap

        for side in ("left", "right"):
            capture = cache.capture(VIEW[side].default, DEFAULT_TEXT, None)
            attention_heatmap(capture.weights[0, 0], capture.tokens).to_json()
        gc.collect()
        gc.freeze()
        ready.set()
    finally:
        finished.set()
    importlib.import_module(
        "model.analysis.headmap"
    )  # scikit-learn takes 2 seconds, and Heads needs it
    for name in checkpoint_names():  # nobody waits for these now: whoever plays the training would
        cache.loaded_model(name)
    gc.freeze()
