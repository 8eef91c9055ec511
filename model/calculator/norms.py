"""LayerNorm and BatchNorm of one small batch.

Both subtract a mean and divide by the root of a variance. Gain and bias have their initial values,
1 and 0. LayerNorm averages over the features of a token (Ba et al. 2016, "Layer Normalization",
eq. 3). BatchNorm averages over all tokens of a batch for each feature (Ioffe and Szegedy 2015,
algorithm 1), as in training; at inference it uses running averages.

Axes: B sentences, T tokens, D features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model.calculator.cells import CellError, Place, numbers

EPSILON = 1e-5
"""Constant under the root against a division by 0; torch's default."""

MOST = 1e9
"""Largest absolute value of a batch: sums of its squares are still exact enough in float64."""

SENTENCES = ("A", "B")


@dataclass(frozen=True, eq=False)
class Normalised:
    """A normalised batch; float64.

    Attributes:
        mean: LayerNorm: mean of each token, (B, T). BatchNorm: mean of each feature, (D,).
        variance: Biased variance, of the same shape.
        output: The normalised batch, (B, T, D).
    """

    mean: Tensor
    variance: Tensor
    output: Tensor


def read(cells: Sequence[Sequence[Sequence[str]]]) -> Tensor:
    """Read a typed batch.

    Args:
        cells: A grid of text for each sentence.

    Returns:
        float64 (B, T, D).

    Raises:
        CellError: If a cell holds no number or one above MOST, or if the sentences differ in size.
    """
    sentences = [numbers(name, typed) for name, typed in zip(SENTENCES, cells, strict=True)]
    first = sentences[0]
    for name, sentence in zip(SENTENCES, sentences, strict=True):
        if sentence.shape != first.shape:
            raise CellError(
                Place(name),
                "{name} is {rows} x {columns} and {first} is {first_rows} x {first_columns}. "
                "All sentences of a batch need the same size.",
                name=name,
                rows=sentence.shape[0],
                columns=sentence.shape[1],
                first=SENTENCES[0],
                first_rows=first.shape[0],
                first_columns=first.shape[1],
            )
    for name, sentence in zip(SENTENCES, sentences, strict=True):
        for row, column in (sentence.abs() > MOST).nonzero().tolist():
            raise CellError(
                Place(name, row, column),
                "{number:g} is too large. Use a number up to {most:g}.",
                number=float(sentence[row, column]),
                most=MOST,
            )
    return torch.stack(sentences)  # B x (T, D) -> (B, T, D)


def layer_norm(x: Tensor) -> Normalised:
    """Normalise each token over its own features (Ba et al. 2016, eq. 3).

    Args:
        x: The batch, (B, T, D).
    """
    mean = x.mean(dim=-1)  # (B, T, D) -> (B, T)
    variance = (x - mean[..., None]).square().mean(dim=-1)
    output = (x - mean[..., None]) / (variance[..., None] + EPSILON).sqrt()
    return Normalised(mean, variance, output)


def batch_norm(x: Tensor, counted: Tensor | None = None) -> Normalised:
    """Normalise each feature over all tokens of the batch (Ioffe and Szegedy 2015, algorithm 1).

    Args:
        x: The batch, (B, T, D).
        counted: The tokens to average over, boolean (B, T). All by default, including padding, as
            in BatchNorm.
    """
    rows = x.flatten(0, 1) if counted is None else x[counted]  # (B, T, D) -> (N, D)
    mean = rows.mean(dim=0)
    variance = (rows - mean).square().mean(dim=0)
    return Normalised(mean, variance, (x - mean) / (variance + EPSILON).sqrt())


def real_tokens(x: Tensor, n_padded: int) -> Tensor:
    """Mark the real tokens; the last ones of the last sentence are padding.

    Args:
        x: The batch, (B, T, D).
        n_padded: Number of padding tokens; one token of the sentence is always real.

    Returns:
        Boolean (B, T), False for padding.
    """
    n_tokens = x.shape[1]
    real = torch.ones(x.shape[:2], dtype=torch.bool)
    real[-1, max(1, n_tokens - n_padded) :] = False
    return real


def padding_effect(x: Tensor, real: Tensor) -> float:
    """The largest change of BatchNorm's output for a real token that padding causes.

    Args:
        x: The batch, (B, T, D).
        real: Boolean (B, T), False for padding.
    """
    change = (batch_norm(x).output - batch_norm(x, real).output)[real]  # (B, T, D) -> (N, D)
    return float(change.abs().max())
