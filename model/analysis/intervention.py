"""Change one thing and look downstream: switch heads off, hide words, and see what moves.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", switch off a head by taking its
context out of the sum: Concat(head_1, ..., 0, ..., head_H) W^O.

Axes: L n_layers, H n_heads, T tokens (P some of them), D d_model, M masked tokens, V vocab_size.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch

from model.analysis.logit_lens import language_head
from model.capture.hooks import HeadsOff
from model.capture.record import AttentionCapture, check_head
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded import LoadedModel
from model.errors import HeadlightError

ROWS_AT_ONCE = 16
"""Tokens behind which all probabilities are held at once: 3 MB in a vocabulary of 49,152."""


@dataclass(frozen=True)
class Intervention:
    """What is changed in a run.

    Attributes:
        off: Heads that are switched off, pairs (layer, head).
        how: ``"zero"``: nothing of their context reaches the layer's output; ``"uniform"``: they
            attend to every token that they see alike.
        masked: Tokens that are hidden behind the model's mask token, by position.
    """

    off: frozenset[tuple[int, int]] = frozenset()
    how: Literal["zero", "uniform"] = "zero"
    masked: frozenset[int] = frozenset()

    @property
    def baseline(self) -> "Intervention":
        """What this is to be compared with: one thing less, so that one effect is seen.

        With heads off, the same words hidden and all heads on: what a hidden word moves is none of
        the heads' doing. With words hidden alone, the model as it is.
        """
        return Intervention(masked=self.masked) if self.off else Intervention()


@dataclass(frozen=True, eq=False)
class Outcome:
    """A run and what came of it. Arrays are read-only.

    Attributes:
        capture: Every head, as it attended in this run.
        hidden: The last hidden states, (T, D).
        masks: Positions of the mask tokens, those of the text among them, M.
        predicted: The probability of each vocabulary entry behind each mask, (M, V); None for
            models without a masked-language head.
    """

    capture: AttentionCapture
    hidden: np.ndarray
    masks: tuple[int, ...]
    predicted: np.ndarray | None

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays hold in memory."""
        predicted = 0 if self.predicted is None else self.predicted.nbytes
        return self.capture.nbytes + self.hidden.nbytes + predicted


def intervene(
    model: LoadedModel,
    text: str,
    text_pair: str | None = None,
    change: Intervention = Intervention(),
) -> Outcome:
    """Run a model on a sentence, something of it changed.

    Args:
        model: Which one; it stays as it is, for everybody else.
        text: The sentence.
        text_pair: A second sentence, or None.
        change: Nothing unless given: the run is then the model's own, to the last bit.

    Raises:
        HeadlightError: If there is no text, the model has no such head or token, or nothing to
            hide a token behind.
    """
    tokens = _masked(model, model.tokenize(text, text_pair), change.masked)
    off = _heads_off(model, change)
    observed, hidden = model.watch(tokens, off=off)
    mask_id = model.tokenizer.token_to_id(model.mask_token)
    masks = tuple(position for position, id_ in enumerate(tokens.ids) if id_ == mask_id)
    predicted = None
    if model.masked_lm is not None:
        _, logits = model.watch(tokens, model.masked_lm, off)  # (T, V)
        predicted = _frozen(logits[list(masks)].softmax(dim=-1))
    pair = text_pair if text_pair and text_pair.strip() else None
    capture = to_capture(observed, tokens, model.name, text, pair, stack=model.stack)
    return Outcome(capture, _frozen(hidden), masks, predicted)


def _frozen(tensor: torch.Tensor) -> np.ndarray:
    array = tensor.numpy()
    array.flags.writeable = False
    return array


def _masked(model: LoadedModel, tokens: Tokens, masked: frozenset[int]) -> Tokens:
    if not masked:
        return tokens
    mask_id = model.tokenizer.token_to_id(model.mask_token)
    if mask_id is None:
        raise HeadlightError(
            "{model} has no mask token, so no word can be hidden from it.", model=model.name
        )
    ids, pieces = list(tokens.ids), list(tokens.pieces)
    for position in masked:
        if not 0 <= position < len(ids) or tokens.word_ids[position] is None:
            raise HeadlightError(
                "Token {position} of this sentence cannot be hidden: it is none of its words.",
                position=position,
            )
        ids[position], pieces[position] = mask_id, model.mask_token
    return replace(tokens, ids=tuple(ids), pieces=tuple(pieces))


def _heads_off(model: LoadedModel, change: Intervention) -> HeadsOff | None:
    for layer, head in sorted(change.off):
        check_head(model, layer, head, model.name)
    if not change.off:
        return None
    return HeadsOff(change.off, change.how, model.d_head, model.stack)


def next_tokens(model: LoadedCausal, hidden: np.ndarray) -> np.ndarray:
    """What a decoder would write behind some tokens.

    Args:
        model: Which one.
        hidden: Last hidden states of the tokens, (P, D), of :class:`Outcome`: normalised already.

    Returns:
        Probabilities of each vocabulary entry, (P, V).

    Raises:
        HeadlightError: If it has no language head.
    """
    head = language_head(model)
    with torch.inference_mode():  # (P, D) @ (V, D)^T -> (P, V)
        logits = torch.nn.functional.linear(torch.tensor(hidden), head.table, head.bias)
        return logits.softmax(dim=-1).numpy()


def moved_behind(model: LoadedCausal, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """How far what is written next moved between two runs, behind every token.

    Args:
        model: Whose runs.
        ours: Last hidden states of the one, (T, D).
        theirs: Of the other.

    Returns:
        Total variations, (T,).
    """
    blocks = range(0, len(ours), ROWS_AT_ONCE)
    return np.concatenate(
        [
            total_variation(
                *(
                    next_tokens(model, states[start : start + ROWS_AT_ONCE])
                    for states in (ours, theirs)
                )
            )
            for start in blocks
        ]
    )


def total_variation(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Half of what the probabilities of two distributions differ by, summed: (..., V) -> (...,).

    0 where they are equal, 1 where nothing is possible in both. What either says of any set of
    tokens together differs by no more (Levin & Peres 2017, "Markov Chains and Mixing Times", 4.1).
    """
    halves: np.ndarray = np.abs(ours - theirs).sum(axis=-1) / 2
    return halves


def cosines(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Cosine between the hidden states of two runs, token by token: (T, D), (T, D) -> (T,).

    1 where a token ends up pointing the same way, whatever its length.
    """
    similar = torch.nn.functional.cosine_similarity(torch.tensor(ours), torch.tensor(theirs))
    return similar.numpy()
