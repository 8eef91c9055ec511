"""LayerNorm and BatchNorm of one small batch, with the initial gain and bias, 1 and 0.

LayerNorm averages over the features of a token (Ba et al. 2016, "Layer Normalization", eq. 3).
BatchNorm averages over all tokens of a batch for each feature (Ioffe and Szegedy 2015, algorithm
1), as in training; at inference it uses running averages.

Axes: B sentences, T tokens, D features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model.calculator.cells import CellAddress, CellError, numbers

EPSILON = 1e-5
"""Constant under the root against a division by 0; torch's default."""

MOST = 1e9
"""Largest absolute value of a batch: sums of its squares are still exact enough in float64."""

SENTENCES = ("A", "B")


@dataclass(frozen=True, eq=False)
class Normalised:
    """A normalised batch, float64; ``mean`` is (B, T) for LayerNorm, (D,) for BatchNorm."""

    mean: Tensor
    variance: Tensor
    output: Tensor


def read(cells: Sequence[Sequence[Sequence[str]]]) -> Tensor:
    """Read a typed batch, one grid for each sentence: float64 (B, T, D).

    Raises a CellError if a cell holds no number or one above MOST, or the sentences differ in size.
    """
    sentences = [numbers(name, typed) for name, typed in zip(SENTENCES, cells, strict=True)]
    first = sentences[0]
    for name, sentence in zip(SENTENCES, sentences, strict=True):
        if sentence.shape != first.shape:
            raise CellError(
                CellAddress(name),
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
                CellAddress(name, row, column),
                "{number:g} is too large. Use a number up to {most:g}.",
                number=float(sentence[row, column]),
                most=MOST,
            )
    return torch.stack(sentences)  # B x (T, D) -> (B, T, D)


def layer_norm(x: Tensor) -> Normalised:
    """Normalise each token of a batch (B, T, D) over its own features (Ba et al. 2016, eq. 3)."""
    mean = x.mean(dim=-1)  # (B, T, D) -> (B, T)
    variance = (x - mean[..., None]).square().mean(dim=-1)
    output = (x - mean[..., None]) / (variance[..., None] + EPSILON).sqrt()
    return Normalised(mean, variance, output)


def batch_norm(x: Tensor) -> Normalised:
    """Normalise each feature over all tokens of a batch (B, T, D), padding included."""
    rows = x.flatten(0, 1)  # (B, T, D) -> (B*T, D)
    mean = rows.mean(dim=0)
    variance = (rows - mean).square().mean(dim=0)
    return Normalised(mean, variance, (x - mean) / (variance + EPSILON).sqrt())
