"""Replica of the Ray Serve application: a process that loads models and executes operations.

Clients can execute the listed operations and nothing else.
"""

import asyncio
import logging
from collections.abc import Callable
from operator import attrgetter
from threading import Condition
from typing import Any

import torch
from cachetools import LRUCache, cached
from starlette.requests import Request
from starlette.responses import Response
from threadpoolctl import threadpool_limits

from model import HeadlightError, LoadedModel
from model.catalogue.models import load_reader, load_translator
from model.catalogue.names import canonical_name, is_listed, model_info
from model.catalogue.translator import LoadedTranslator
from web.inference import wire_format
from web.inference.forward_queue import BusyError, ForwardQueue
from web.inference.operations import OPERATIONS, kind_of, read
from web.inference.remote_client import TOO_MANY_REQUESTS

MODEL_BYTES = 2 * 1024**3
"""Budget for the loaded models."""

MAX_REQUEST_BYTES = 16 * 1024**2
"""Enough for two sentences, a mask, or the vectors of a sentence."""

MAX_NUMBER = 100_000
"""Of a request: positions, counts and sizes are smaller. Only seeds may be larger."""

PRELOADED = ("scratch", "minilm")
"""The models of a first visit."""


log = logging.getLogger(__name__)


@cached(LRUCache(MODEL_BYTES, getsizeof=attrgetter("nbytes")), condition=Condition())
def _loaded(name: str) -> LoadedModel | LoadedTranslator:
    load = load_translator if model_info(name).kind == "translator" else load_reader
    return load(name, download=False)


class Replica:
    """Executes operations on one core.

    Args:
        others: Hub ids and folders that are allowed in addition to the catalogue.
    """

    def __init__(self, others: tuple[str, ...] = ()) -> None:
        torch.set_num_threads(1)
        threadpool_limits(1, user_api="blas")
        self._others = {canonical_name(name) for name in others}
        self._forward_queue = ForwardQueue(1)
        for name in PRELOADED:
            self._execute(read, name, ["Ready.", None])

    async def __call__(self, request: Request) -> Response:
        """Respond to a request of :mod:`web.inference.remote_client`."""
        body = await request.body()
        return await asyncio.to_thread(self._respond, body)

    def _respond(self, body: bytes) -> Response:
        if len(body) > MAX_REQUEST_BYTES:
            return Response(status_code=413)
        try:
            operation_name, name, *args = wire_format.unpack(body)
            operation, name = OPERATIONS[operation_name], str(name)
        except (ValueError, TypeError, LookupError):
            return Response(status_code=400)
        if _has_absurd_number(args):
            return Response(status_code=400)
        try:
            result = (True, self._execute(operation, name, args))
        except BusyError:
            return Response(status_code=TOO_MANY_REQUESTS)
        except HeadlightError as error:
            result = (False, (error.message, error.values))
        except (TypeError, LookupError):  # an argument of another type, or beyond the text
            log.exception("refused %s", operation_name)
            return Response(status_code=400)
        return Response(wire_format.pack(result), media_type="application/octet-stream")

    def _execute(self, operation: Callable[..., Any], name: str, args: list[Any]) -> Any:
        if not (is_listed(name) or name in self._others):
            raise HeadlightError(
                "The machines that run the models do not have {name}. Their administrator can add "
                "it (--models).",
                name=name,
            )
        model = _loaded(name)
        with self._forward_queue.turn(kind_of(operation)):
            return operation(model, *args)


def _has_absurd_number(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return not abs(value) <= MAX_NUMBER  # NaN is refused too
    if isinstance(value, dict):
        value = [part for name, part in value.items() if name != "seed"]
    return isinstance(value, (list, tuple, frozenset)) and any(map(_has_absurd_number, value))
