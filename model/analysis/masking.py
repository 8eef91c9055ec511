"""A sentence under a mask: what our encoder does when some keys are hidden from some queries.

Axes: L n_layers, H n_heads, T tokens, D d_model.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from model.analysis.distances import jensen_shannon_of_pairs
from model.capture.record import AttentionCapture
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue.loaded import LoadedModel
from model.errors import HeadlightError
from model.transformer.encoder import Encoder

PADDING = "[PAD]"


@dataclass(frozen=True, eq=False)
class MaskedRun:
    """One pass under a mask.

    Attributes:
        capture: Every head, the mask among it.
        states: What leaves each layer, float32 (L, T, D).
        n_padding: How many of the last tokens are padding.
    """

    capture: AttentionCapture
    states: np.ndarray
    n_padding: int

    @property
    def n_real(self) -> int:
        """Tokens that are no padding."""
        return len(self.capture.tokens) - self.n_padding

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays hold in memory."""
        return self.capture.nbytes + self.states.nbytes


def read_tokens(model: LoadedModel, text: str, most: int, n_padding: int = 0) -> Tokens:
    """Tokenise a sentence, with padding behind it, as a batch of longer ones would have.

    Args:
        model: Whose tokens.
        text: The sentence.
        most: Tokens of the sentence itself; what is beyond is left out, the last one kept: [SEP].
        n_padding: How many [PAD] tokens follow.

    Raises:
        HeadlightError: If there is no text, or the vocabulary has no padding.
    """
    tokens = model.tokenize(text)
    kept, left_out = [*range(len(tokens.ids))], tokens.left_out
    if len(kept) > most:
        left_out = (text[tokens.offsets[most - 1][0] :], "")
        kept = [*kept[: most - 1], kept[-1]]
    padding = model.tokenizer.token_to_id(PADDING)
    if n_padding and padding is None:
        raise HeadlightError("{model} has no padding token.", model=model.name)
    return replace(
        tokens,
        pieces=(*(tokens.pieces[i] for i in kept), *[PADDING] * n_padding),
        ids=(*(tokens.ids[i] for i in kept), *[padding or 0] * n_padding),
        offsets=(*(tokens.offsets[i] for i in kept), *[(0, 0)] * n_padding),
        word_ids=(*(tokens.word_ids[i] for i in kept), *[None] * n_padding),
        segment_ids=(*(tokens.segment_ids[i] for i in kept), *[0] * n_padding),
        left_out=left_out,
    )


def with_other_token(model: LoadedModel, tokens: Tokens, position: int) -> Tokens:
    """The same tokens with one of them hidden behind the model's mask token.

    Raises:
        HeadlightError: If the model has none.
    """
    mask_id = model.tokenizer.token_to_id(model.mask_token)
    if mask_id is None:
        raise HeadlightError(
            "{model} has no mask token, so no word can be hidden from it.", model=model.name
        )
    ids, pieces = list(tokens.ids), list(tokens.pieces)
    ids[position], pieces[position] = mask_id, model.mask_token
    return replace(tokens, ids=tuple(ids), pieces=tuple(pieces))


def run_masked(
    model: LoadedModel, tokens: Tokens, text: str, mask: Tensor | None = None
) -> MaskedRun:
    """Run one of our encoders on tokens, every layer under the same mask.

    Args:
        model: One that runs our own encoder.
        tokens: As :func:`read_tokens` gives them.
        text: That they are of.
        mask: Boolean (T, T), True where allowed; None allows all.

    Raises:
        HeadlightError: If the model is not ours, or a query has no key left.
    """
    if not isinstance(model.module, Encoder):
        raise HeadlightError(
            "{model} is not our own encoder: only there can every mask be laid on.",
            model=model.name,
        )
    states: list[Tensor] = []
    observed, _ = model.watch(tokens, partial(_layer_by_layer, model.module, mask, states))
    capture = to_capture(observed, tokens, model.name, text, None)
    if mask is not None and not mask.all():
        allowed = mask.numpy()
        allowed.flags.writeable = False
        capture = replace(capture, allowed=(allowed,) * model.n_layers)
    arrays = torch.stack(states).numpy()  # L x (T, D) -> (L, T, D)
    arrays.flags.writeable = False
    return MaskedRun(capture, arrays, tokens.pieces.count(PADDING))


def _layer_by_layer(
    encoder: Encoder, mask: Tensor | None, states: list[Tensor], ids: Tensor, segments: Tensor
) -> Tensor:
    """The encoder's own way (:meth:`Encoder.forward`), what leaves each layer kept: (1, T, D)."""
    x = encoder.embeddings(ids, segments)
    for layer in encoder.layers:
        x = layer(x, mask)
        states.append(x[0])
    return encoder.final_norm(x)


def where_weight_goes(weights: np.ndarray, n_padding: int) -> dict[str, float]:
    """Share out what real tokens give: to earlier tokens, themselves, later ones, and padding.

    Args:
        weights: (..., T, T), of one head or of many, which are averaged.
        n_padding: How many of the last tokens are padding.

    Returns:
        Four shares that sum to 1.
    """
    n_real = weights.shape[-1] - n_padding
    given = weights[..., :n_real, :].reshape(-1, n_real, weights.shape[-1]).mean(axis=0)  # (R, T)
    real = given[:, :n_real]
    return {
        "earlier": float(np.tril(real, -1).sum() / n_real),
        "itself": float(np.trace(real) / n_real),
        "later": float(np.triu(real, 1).sum() / n_real),
        "padding": float(given[:, n_real:].sum() / n_real),
    }


def moved_before(run: MaskedRun, other: MaskedRun, position: int) -> float:
    """The largest change of any output before a position: of a causal model, 0.

    Args:
        run: A sentence.
        other: The same with another token at that position.
        position: Of it.
    """
    before = run.states[-1, :position], other.states[-1, :position]  # (position, D) each
    return float(np.abs(before[0] - before[1]).max(initial=0))


def departure(full: MaskedRun, masked: MaskedRun) -> tuple[np.ndarray, np.ndarray]:
    """How far a mask takes each layer from full attention, over the real tokens.

    Returns:
        Jensen-Shannon distances between the heads' rows, (L, H), 0 to 0.83; and cosines between
        the states that leave the layer, (L, T).
    """
    n = full.n_real
    rows = (run.capture.weights[..., :n, :] for run in (full, masked))  # (L, H, T, all)
    ours, theirs = (run.states[:, :n].astype(np.float64) for run in (full, masked))  # (L, T, D)
    lengths = np.linalg.norm(ours, axis=-1) * np.linalg.norm(theirs, axis=-1)  # (L, T)
    return jensen_shannon_of_pairs(*rows), (ours * theirs).sum(axis=-1) / lengths
