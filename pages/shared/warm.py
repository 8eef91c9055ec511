"""The server's first seconds: what the first visitor would otherwise wait for.

This module imports nothing heavy, so that a page can say what it waits for before torch is there.
"""

import gc
import importlib
import os
import threading
from contextlib import suppress
from functools import cache

from pages.shared import memory

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


def one_thread() -> None:
    """Let every computation of this process keep to the thread that asks for it.

    On a shared machine several threads of OpenMP mostly wait for one another, and a server has
    enough visitors to fill its cores. The sums then also add up in the same order everywhere, so
    that tests find the server's numbers to the bit.
    """
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(1)
    threadpool_limits(1, user_api="blas")  # numpy's products
    # scikit-learn brings a library of its own, later: it reads this when it is loaded.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _no_progress_bars() -> None:
    """Keep transformers from drawing bars in the server's log: the page has one of its own."""
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # read when transformers is imported


def _warm_up() -> None:
    """Import everything, load the two default models, run a first forward pass, draw a figure.

    What holds for the whole process is set before any of it. Afterwards everything alive is moved
    out of the garbage collector's sight: it would walk all of torch again and again.
    """
    try:
        _no_progress_bars()
        memory.keep_apart()
        memory.collect_later()
        one_thread()
        from model.catalogue.names import checkpoint_names
        from model.passes import BusyError
        from pages.shared import captures, loading, symbols
        from pages.shared.parameters import DEFAULT_TEXT, VIEW
        from viz import attention_heatmap

        with suppress(BusyError):  # other machines are away: pages say so, and go on when they come
            for side in ("left", "right"):
                loading.loaded.stay(VIEW[side].default)
                capture = captures.capture(VIEW[side].default, DEFAULT_TEXT, None)
                attention_heatmap(capture.weights[0, 0], capture.tokens).to_json()
        # Plotly looks at what it finds of pandas while it draws. Whoever brings it, scikit-learn
        # below or another visitor's page, would show it half imported, which no figure survives.
        importlib.import_module("pandas")
        gc.collect()
        gc.freeze()
        ready.set()
    finally:
        finished.set()
    # Nobody waits for these now: the first visitor's browser would wait for the symbols, whoever
    # opens the map of heads for scikit-learn, and whoever plays the training for its checkpoints.
    symbols.font()
    importlib.import_module("model.analysis.headmap")
    for name in checkpoint_names():
        loading.loaded.stay(name)
    gc.freeze()


def everything() -> None:
    """Warm up to the end, and read every model that is here: for a process that becomes several.

    They stay: none of the several would give memory back that all of them share.
    """
    start().join()
    from model import HeadlightError, list_models
    from pages.shared import loading

    for info in list_models():
        read = loading.loaded_translator if info.kind == "translator" else loading.loaded
        with suppress(HeadlightError):  # the ones that are not
            read.stay(info.name)
    gc.collect()
    gc.freeze()
