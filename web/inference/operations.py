"""Operations of models: each call waits for its turn in this process's queue."""

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

import torch

from model import AttentionCapture, LoadedModel
from model.analysis.logit_lens import LogitLens, logit_lens
from model.analysis.masking import MaskedRun, mask_tokens, read_tokens, run_masked
from model.capture.residual_stream import ResidualStream
from model.catalogue.causal import LoadedCausal
from model.catalogue.tasks import Decision
from model.catalogue.translation import Translation
from model.catalogue.translator import LoadedTranslator
from web import settings
from web.inference.forward_queue import ForwardQueue, available_cores

Model = TypeVar("Model", bound=LoadedModel | LoadedTranslator)
Args = TypeVarTuple("Args")
Result = TypeVar("Result")

forward_queue = ForwardQueue(available_cores(), settings.now().queue)


def compute(operation: Callable[[Model, *Args], Result], model: Model, *args: *Args) -> Result:
    """Run an operation in a turn of the queue.

    Raises:
        BusyError: If the queue is full, or the wait too long.
        HeadlightError: As the operation raises it.
    """
    with forward_queue.turn(heavy=operation in HEAVY):
        return operation(model, *args)


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


HEAVY: frozenset[Callable[..., Any]] = frozenset({translate})
"""Operations of many passes."""
