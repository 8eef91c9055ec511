"""What pages ask of a model, a function each: the same one here and on another machine."""

from collections.abc import Callable
from typing import Any

import torch

from model import AttentionCapture, LoadedModel
from model.analysis.induction import attend_to_repeated
from model.analysis.intervention import intervene, moved_behind
from model.analysis.logit_lens import LogitLens, logit_lens
from model.analysis.masking import MaskedRun, read_tokens, run_masked, with_other_token
from model.analysis.order import reorder
from model.capture.stream import ResidualStream
from model.catalogue.causal import LoadedCausal
from model.catalogue.tasks import Decision
from model.catalogue.translation import Translation
from model.catalogue.translator import LoadedTranslator
from model.passes import Kind


def read(
    model: LoadedModel, text: str, text_pair: str | None
) -> tuple[AttentionCapture, list[tuple[str, float]]]:
    """One pass: every head, and of a decoder what it most probably goes on with."""
    if not isinstance(model, LoadedCausal):
        return model.attend(text, text_pair), []
    reading = model.read(text, text_pair)
    return reading.capture, model.most_probable(reading.following)


def stream(model: LoadedModel, text: str, text_pair: str | None) -> ResidualStream:
    """The lengths of its residual stream."""
    return model.residual_stream(text, text_pair)


def lens(model: LoadedModel, text: str, text_pair: str | None, first: int, count: int) -> LogitLens:
    """What each layer would say at some tokens: ``count`` of them from the first."""
    return logit_lens(model, text, text_pair, positions=range(first, first + count))


def predict(
    model: LoadedModel, text: str, text_pair: str | None, top_k: int
) -> list[list[tuple[str, float]]]:
    """What it would put in place of each mask."""
    return model.predict(text, text_pair, top_k)


def decide(model: LoadedModel, text: str, text_pair: str | None) -> Decision:
    """What its fine-tuned head decides."""
    return model.decide(text, text_pair)


def mask(
    model: LoadedModel,
    text: str,
    most: int,
    n_padding: int,
    cells: bytes | None,
    changed: int | None,
) -> MaskedRun:
    """One of our encoders under a mask of so many cells, a byte each; None allows all."""
    tokens = read_tokens(model, text, most, n_padding)
    if changed is not None:
        tokens = with_other_token(model, tokens, changed)
    count, allowed = len(tokens.ids), None
    if cells is not None:
        allowed = torch.frombuffer(bytearray(cells), dtype=torch.bool).view(count, count)
    return run_masked(model, tokens, text, allowed)


def translate(
    model: LoadedTranslator, text: str, forced: tuple[tuple[int, str], ...], options: dict[str, Any]
) -> Translation:
    """What a translator writes; pairs of a step and the token that stands there are forced."""
    return model.generate(text, forced=dict(forced), **options)


WORK: dict[str, Callable[..., Any]] = {
    work.__name__: work
    for work in (
        read, stream, lens, predict, decide, mask, translate,
        attend_to_repeated, intervene, moved_behind, reorder,
    )
}  # fmt: skip
"""By name, as another machine is asked for it: it does nothing else."""


def kind_of(work: Callable[..., Any]) -> Kind:
    """How it takes its turn."""
    return "long" if work is translate else "sentence"
