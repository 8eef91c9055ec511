"""Operations of models, and their execution: in this process's queue, or on other machines.

``compute(read, model, text, None)`` runs an operation of :data:`OPERATIONS`. A replica has
the same functions.
"""

import os
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, TypeVarTuple, cast

import torch

from model import AttentionCapture, LoadedModel
from model.analysis.induction import attend_to_repeated
from model.analysis.intervention import intervene, next_token_changes
from model.analysis.logit_lens import LogitLens, logit_lens
from model.analysis.masking import MaskedRun, mask_tokens, read_tokens, run_masked
from model.analysis.order import reorder
from model.capture.residual_stream import ResidualStream
from model.catalogue.causal import LoadedCausal
from model.catalogue.tasks import Decision
from model.catalogue.translation import Translation
from model.catalogue.translator import LoadedTranslator
from web import settings
from web.inference.forward_queue import ForwardQueue, Kind, available_cores
from web.inference.remote_client import RemoteClient

Model = TypeVar("Model", bound=LoadedModel | LoadedTranslator)
Args = TypeVarTuple("Args")
Result = TypeVar("Result")

forward_queue = ForwardQueue(
    max(1, available_cores() // settings.now().workers), settings.now().queue
)
"""Queue of this process. Each computation uses one thread; worker processes share the cores."""


def compute(operation: Callable[[Model, *Args], Result], model: Model, *args: *Args) -> Result:
    """Run an operation in a turn of the queue, or remotely if the settings name a server.

    Args:
        operation: One of :data:`OPERATIONS`.
        model: The model.
        *args: Further arguments of the operation.

    Raises:
        BusyError: If the queue is full, the wait too long, or the remote server not available.
        HeadlightError: As the operation raises it.
    """
    if address := settings.now().inference:
        client = _client(address, os.getpid())
        return cast(Result, client.call(operation.__name__, model.name, *args))
    with forward_queue.turn(kind_of(operation)):
        return operation(model, *args)


def has_free_slots(count: int) -> bool:
    """Whether ``count`` operations would start immediately; assumed of a remote server."""
    return bool(settings.now().inference) or forward_queue.has_free_slots(count)


@cache
def _client(address: str, process: int) -> RemoteClient:
    """The client of one process: forked processes must not share connections."""
    return RemoteClient(address)


def read(
    model: LoadedModel, text: str, text_pair: str | None
) -> tuple[AttentionCapture, list[tuple[str, float]]]:
    """One pass: the capture, and of a decoder the most probable next tokens."""
    if not isinstance(model, LoadedCausal):
        return model.attend(text, text_pair), []
    capture, probabilities = model.attend_and_predict(text, text_pair)
    return capture, model.most_probable(probabilities)


def stream(model: LoadedModel, text: str, text_pair: str | None) -> ResidualStream:
    """The vector lengths of the residual stream."""
    return model.residual_stream(text, text_pair)


def lens(model: LoadedModel, text: str, text_pair: str | None, first: int, count: int) -> LogitLens:
    """The logit lens at ``count`` tokens, from token ``first``."""
    return logit_lens(model, text, text_pair, positions=range(first, first + count))


def predict(
    model: LoadedModel, text: str, text_pair: str | None, top_k: int
) -> list[list[tuple[str, float]]]:
    """The most probable tokens for each mask."""
    return model.predict(text, text_pair, top_k)


def decide(model: LoadedModel, text: str, text_pair: str | None) -> Decision:
    """The decision of a fine-tuned task head."""
    return model.decide(text, text_pair)


def mask(
    model: LoadedModel,
    text: str,
    most: int,
    n_padding: int,
    cells: bytes | None,
    changed: int | None,
) -> MaskedRun:
    """A pass of our encoder under an attention mask, one byte a cell; None allows everything."""
    tokens = read_tokens(model, text, most, n_padding)
    if changed is not None:
        tokens = mask_tokens(model, tokens, [changed])
    count, allowed = len(tokens.ids), None
    if cells is not None:
        allowed = torch.frombuffer(bytearray(cells), dtype=torch.bool)
        allowed = allowed.view(count, count)  # (T * T,) -> (T, T)
    return run_masked(model, tokens, text, allowed)


def translate(
    model: LoadedTranslator, text: str, forced: tuple[tuple[int, str], ...], options: dict[str, Any]
) -> Translation:
    """A translation; ``forced`` has pairs of a step and its forced token."""
    return model.generate(text, forced=dict(forced), **options)


OPERATIONS: dict[str, Callable[..., Any]] = {
    operation.__name__: operation
    for operation in (
        read, stream, lens, predict, decide, mask, translate,
        attend_to_repeated, intervene, next_token_changes,
        reorder,
    )
}  # fmt: skip
"""By name: the only operations that a replica executes."""


def kind_of(operation: Callable[..., Any]) -> Kind:
    """The kind of turn that an operation takes in the queue."""
    return "long" if operation is translate else "sentence"
