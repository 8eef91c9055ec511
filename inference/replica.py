"""One process that has models and answers for them: what Ray Serve runs, on as many cores as asked.

Whoever reaches it may have the models compute, and nothing else.
"""

import asyncio
from collections.abc import Callable
from operator import attrgetter
from threading import Condition
from typing import Any

import torch
from cachetools import LRUCache, cached
from starlette.requests import Request
from starlette.responses import Response
from threadpoolctl import threadpool_limits

from inference import wire
from inference.elsewhere import FULL
from inference.work import WORK, kind_of, read
from model import HeadlightError, LoadedModel
from model.catalogue.models import load_reader, load_translator
from model.catalogue.names import canonical_name, is_listed, model_info
from model.catalogue.translator import LoadedTranslator
from model.passes import BusyError, Passes

MODEL_BYTES = 2 * 1024**3
"""Of the models that a process keeps."""

FIRST = ("scratch", "minilm")
"""Read before a process is asked anything: what a first visit shows."""


@cached(LRUCache(MODEL_BYTES, getsizeof=attrgetter("nbytes")), condition=Condition())
def _loaded(name: str) -> LoadedModel | LoadedTranslator:
    load = load_translator if model_info(name).kind == "translator" else load_reader
    return load(name, download=False)


class Models:
    """One process with the models, on one core."""

    def __init__(self, others: tuple[str, ...] = ()) -> None:
        torch.set_num_threads(1)
        threadpool_limits(1, user_api="blas")
        self._others = {canonical_name(name) for name in others}
        self._passes = Passes(1)
        for name in FIRST:
            self._done(read, name, ["Ready.", None])

    async def __call__(self, request: Request) -> Response:
        """Answer a question of :mod:`inference.elsewhere`."""
        question = await request.body()
        return await asyncio.to_thread(self._answered, question)

    def _answered(self, question: bytes) -> Response:
        try:
            wanted, name, *asked = wire.unpacked(question)
            work, name = WORK[wanted], str(name)
        except (ValueError, TypeError, LookupError):
            return Response("This is no question.", status_code=400)
        try:
            answer = (True, self._done(work, name, asked))
        except BusyError:
            return Response(status_code=FULL)
        except HeadlightError as error:
            answer = (False, (error.message, error.values))
        return Response(wire.packed(answer), media_type="application/octet-stream")

    def _done(self, work: Callable[..., Any], name: str, asked: list[Any]) -> Any:
        if not (is_listed(name) or name in self._others):
            raise HeadlightError(
                "The machines that compute for this server do not have {name}. Whoever runs them "
                "can add it (--models).",
                name=name,
            )
        model = _loaded(name)
        with self._passes.turn(kind_of(work)):
            return work(model, *asked)
