"""Runs of our encoder under an attention mask.

Axes: L n_layers, H n_heads, T tokens (R of them no padding), D d_model.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from torch import Tensor

from model.capture.record import AttentionCapture
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError
from model.transformer.encoder import Encoder

PADDING = "[PAD]"


@dataclass(frozen=True, eq=False)
class MaskedRun:
    """One forward pass under a mask: the last states, float32 (T, D); padding is at the end."""

    capture: AttentionCapture
    states: np.ndarray
    n_padding: int

    @property
    def n_real(self) -> int:
        """Number of tokens that are not padding, R."""
        return len(self.capture.tokens) - self.n_padding

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays in memory."""
        return self.capture.nbytes + self.states.nbytes


def read_tokens(model: LoadedModel, text: str, max_tokens: int, n_padding: int = 0) -> Tokens:
    """Tokenise a sentence of at most ``max_tokens`` and append padding, as in a batch.

    Raises a HeadlightError if the text is empty, or the vocabulary has no padding token.
    """
    tokens = model.tokenize(text)
    if len(tokens.ids) > max_tokens:
        left_out = (text[tokens.offsets[max_tokens - 1][0] :], "")
        tokens = replace(tokens.at([*range(max_tokens - 1), -1]), left_out=left_out)
    padding = model.tokenizer.token_to_id(PADDING)
    if n_padding and padding is None:
        raise HeadlightError("{model} has no padding token.", model=model.name)
    return replace(
        tokens,
        pieces=(*tokens.pieces, *[PADDING] * n_padding),
        ids=(*tokens.ids, *[padding or 0] * n_padding),
        offsets=(*tokens.offsets, *[(0, 0)] * n_padding),
        word_ids=(*tokens.word_ids, *[None] * n_padding),
        segment_ids=(*tokens.segment_ids, *[0] * n_padding),
    )


def mask_tokens(model: LoadedModel, tokens: Tokens, positions: Iterable[int]) -> Tokens:
    """Replace some tokens by the model's mask token."""
    positions, mask_id = list(positions), model.tokenizer.token_to_id(model.mask_token)
    if not positions:
        return tokens
    if mask_id is None:
        raise HeadlightError(
            "{model} has no mask token, so no word can be hidden.", model=model.name
        )
    ids, pieces = list(tokens.ids), list(tokens.pieces)
    for position in positions:
        ids[position], pieces[position] = mask_id, model.mask_token
    return replace(tokens, ids=tuple(ids), pieces=tuple(pieces))


def run_masked(
    model: LoadedModel, tokens: Tokens, text: str, mask: Tensor | None = None
) -> MaskedRun:
    """Run one of our encoders on tokens, with the same boolean mask (T, T) in every layer."""
    check_own_encoder(model)
    observed, hidden = model.run_recorded(tokens, partial(model.module, mask=mask))
    capture = to_capture(observed, tokens, model, text, None)
    states = hidden.numpy()  # (T, D)
    states.flags.writeable = False
    return MaskedRun(capture, states, tokens.pieces.count(PADDING))


def check_own_encoder(model: LoadedModel) -> None:
    """Refuse a model whose masks and positions cannot be changed."""
    if not isinstance(model.module, Encoder):
        raise HeadlightError(
            "Masks and positions can be changed only in our own encoder. {model} is another model.",
            model=model.name,
        )


def where_weight_goes(weights: np.ndarray, n_padding: int) -> dict[str, float]:
    """Split the mean attention (..., T, T) of real tokens: earlier, itself, later, padding."""
    n_real = weights.shape[-1] - n_padding
    # (..., T, T) -> (N, R, T) -> (R, T)
    mean = weights[..., :n_real, :].reshape(-1, n_real, weights.shape[-1]).mean(axis=0)
    real = mean[:, :n_real]
    return {
        "earlier": float(np.tril(real, -1).sum() / n_real),
        "itself": float(np.trace(real) / n_real),
        "later": float(np.triu(real, 1).sum() / n_real),
        "padding": float(mean[:, n_real:].sum() / n_real),
    }


def max_change_before(run: MaskedRun, other: MaskedRun, position: int) -> float:
    """Largest change of an output vector before a position, in lengths: 0 in a causal model."""
    before, after = run.states[:position], other.states[:position]  # (position, D)
    changed = np.linalg.norm(after - before, axis=-1) / np.linalg.norm(before, axis=-1)
    return float(changed.max(initial=0))
