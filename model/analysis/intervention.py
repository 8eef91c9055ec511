"""Interventions: switch heads off or hide words, and compare the outputs.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", switch off a head by removing its
context from the sum: Concat(head_1, ..., 0, ..., head_H) W^O.

Axes: L n_layers, H n_heads, T tokens (P some of them), D d_model, M masked tokens, V vocab_size.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from model.analysis.logit_lens import language_head
from model.analysis.masking import mask_tokens
from model.capture.attention_hooks import HeadsOff
from model.capture.record import AttentionCapture, check_head
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.tasks import Decision, to_decision
from model.errors import HeadlightError


@dataclass(frozen=True)
class Intervention:
    """Changes to a run: heads to switch off, pairs (layer, head), and tokens to hide.

    Attributes:
        how: ``"zero"``: the context of these heads is 0; ``"uniform"``: they attend equally to
            every visible token.
    """

    off: frozenset[tuple[int, int]] = frozenset()
    how: Literal["zero", "uniform"] = "zero"
    masked: frozenset[int] = frozenset()

    @property
    def baseline(self) -> "Intervention":
        """Run to compare with: the unchanged run; with heads off, one that hides the same words."""
        return Intervention(masked=self.masked) if self.off else Intervention()


@dataclass(frozen=True, eq=False)
class InterventionRun:
    """Result of a run: the last states (T, D), positions of masks, and ``predicted``; read-only.

    Attributes:
        predicted: Probability of each vocabulary entry at each mask, (M, V); None for models
            without a masked-language head.
        decision: Of the fine-tuned head; None for models without one.
    """

    capture: AttentionCapture
    hidden: np.ndarray
    masks: tuple[int, ...]
    predicted: np.ndarray | None
    decision: Decision | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays in memory."""
        predicted = 0 if self.predicted is None else self.predicted.nbytes
        return self.capture.nbytes + self.hidden.nbytes + predicted


def intervene(
    model: LoadedModel,
    text: str,
    text_pair: str | None = None,
    change: Intervention = Intervention(),
) -> InterventionRun:
    """Run a model on a sentence with an intervention; without one it equals the model's own run.

    Raises a HeadlightError if the text is empty, a head or token does not exist, or the model has
    no mask token.
    """
    tokens = _hide_words(model, model.tokenize(text, text_pair), change.masked)
    off = _heads_off(model, change)
    observed, hidden = model.run_recorded(tokens, off=off)
    mask_id = model.tokenizer.token_to_id(model.mask_token)
    masks = tuple(position for position, id_ in enumerate(tokens.ids) if id_ == mask_id)
    predicted = None
    if model.masked_lm is not None:
        _, logits = model.run_recorded(tokens, model.masked_lm, off)  # (T, V)
        predicted = _read_only(logits[list(masks)].softmax(dim=-1))
    decision = None
    if model.task is not None:
        _, logits = model.run_recorded(tokens, model.task.logits, off)
        decision = to_decision(model.task, logits, tokens, (text, text_pair or ""))
    pair = text_pair if text_pair and text_pair.strip() else None
    capture = to_capture(observed, tokens, model, text, pair, stack=model.stack)
    return InterventionRun(capture, _read_only(hidden), masks, predicted, decision)


def ablate(
    model: LoadedModel,
    text: str,
    heads: Iterable[tuple[int, int]],
    how: Literal["zero", "uniform"] = "zero",
) -> InterventionRun:
    """Run a model on a sentence without some heads, (layer, head); see :func:`intervene`."""
    return intervene(model, text, None, Intervention(frozenset(heads), how))


def _read_only(tensor: torch.Tensor) -> np.ndarray:
    array = tensor.numpy()
    array.flags.writeable = False
    return array


def _hide_words(model: LoadedModel, tokens: Tokens, masked: frozenset[int]) -> Tokens:
    if not masked:
        return tokens
    for position in masked:
        if not 0 <= position < len(tokens.ids) or tokens.word_ids[position] is None:
            raise HeadlightError(
                "Token {position} cannot be hidden: it is not part of a word of the sentence.",
                position=position,
            )
    return mask_tokens(model, tokens, masked)


def _heads_off(model: LoadedModel, change: Intervention) -> HeadsOff | None:
    for layer, head in sorted(change.off):
        check_head(model, layer, head, model.name)
    if not change.off:
        return None
    model.check_outputs()
    if change.how == "uniform" and not model.has_steps:
        raise HeadlightError(
            "{model} has attention of another kind, so its heads cannot attend "
            "uniformly. Switch them to zero.",
            model=model.name,
        )
    return HeadsOff(change.off, change.how, model.d_head, model.stack)


def next_tokens(model: LoadedCausal, hidden: np.ndarray) -> np.ndarray:
    """Next-token probabilities of a decoder, (P, D) -> (P, V), from its last hidden states."""
    head = language_head(model)
    with torch.inference_mode():  # (P, D) @ (V, D)^T -> (P, V)
        return head.project(torch.tensor(hidden)).softmax(dim=-1).numpy()


def relative_changes(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Length of each token's change as a share of its length before: (T, D), (T, D) -> (T,)."""
    return np.linalg.norm(after - before, axis=-1) / np.linalg.norm(before, axis=-1)
