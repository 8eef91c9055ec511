"""Warm-up of the server: imports, models and a first forward pass, in a thread.

A page shows a wait message while torch is imported, so this module imports nothing heavy.
"""

import gc
import importlib
import logging
import os
import threading
from contextlib import suppress
from functools import cache

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from web.server import process_limits

log = logging.getLogger(__name__)

ready = threading.Event()
"""Set once the default models are loaded, or were reported as damaged."""

finished = threading.Event()
"""Set after the first forward pass, even if it failed. Pages then run and show the error."""


async def _get_ready(request: Request) -> JSONResponse:
    """Tell load balancers and tests whether a first forward pass has run."""
    return JSONResponse({"ready": ready.is_set()}, status_code=200 if ready.is_set() else 503)


ROUTES = [Route("/api/ready", _get_ready)]


@cache
def start() -> threading.Thread:
    """Start the warm-up thread; later calls return the same thread."""
    thread = threading.Thread(target=_warm_up, name="warm-up", daemon=True)
    thread.start()
    return thread


def use_one_thread() -> None:
    """Turn off the multithreading inside torch, NumPy and SciPy.

    Visitors use all cores, and OpenMP threads mostly wait for each other. With one order of
    summation, tests get the server's numbers to the bit.
    """
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(1)
    threadpool_limits(1, user_api="blas")  # NumPy
    # SciPy's own OpenBLAS reads this when it is loaded.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _warm_up() -> None:
    """Configure the process, load the default models, run a forward pass and draw a figure.

    Afterwards ``gc.freeze`` keeps garbage collections from visiting all of torch again and again.
    """
    try:
        # Read when transformers is imported: the page has its own progress bars.
        os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
        process_limits.map_large_blocks()
        process_limits.collect_less_often()
        use_one_thread()
        from model import HeadlightError
        from model.catalogue.names import checkpoint_names
        from viz import attention_heatmap
        from web.cache import captures, loaded_models
        from web.server import icon_font
        from web.view_state.parameters import DEFAULT_TEXT, VIEW

        for side in ("left", "right"):
            try:
                loaded_models.loaded.pin(VIEW[side].default)
                capture = captures.capture(VIEW[side].default, DEFAULT_TEXT, None)
                attention_heatmap(capture.weights[0, 0], capture.tokens).to_json()
            except HeadlightError as error:  # damaged weights; pages show that, and other models
                log.error("%s", error)
        # Plotly inspects pandas if it is in sys.modules. It fails on the half-imported module while
        # another thread imports pandas.
        importlib.import_module("pandas")
        gc.collect()
        gc.freeze()
        ready.set()
    finally:
        finished.set()
    # Not needed for a first response: the icon font, and the checkpoints for the
    # training player.
    icon_font.font()
    with suppress(HeadlightError):  # logged above
        for name in checkpoint_names():
            loaded_models.loaded.pin(name)
    gc.freeze()
