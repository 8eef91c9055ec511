"""LayerNorm beside BatchNorm on one small tensor: what is averaged over what.

Both subtract a mean and divide by the root of a variance; gain and bias, which are learned, stand
at 1 and 0, where they begin. LayerNorm takes both of a token, over its features (Ba et al. 2016,
"Layer Normalization", eq. 3); BatchNorm of a feature, over all tokens of all sentences of a batch
(Ioffe and Szegedy 2015, algorithm 1), while it trains: later it takes averages of those times.

Axes: B sentences, T tokens, D features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model.calculator.cells import CellError, Place, numbers

EPSILON = 1e-5
"""Under the root, so that a variance of 0 divides nothing by 0; torch's own."""

MOST = 1e9
"""The largest number of a batch: its square is added up, and a float64 still tells it apart."""

SENTENCES = ("A", "B")


@dataclass(frozen=True, eq=False)
class Normalised:
    """A tensor normalised; float64.

    Attributes:
        mean: Of each token for LayerNorm, (B, T); of each feature for BatchNorm, (D,).
        variance: The same shape; biased: divided by how many were averaged, not by one less.
        output: (B, T, D).
    """

    mean: Tensor
    variance: Tensor
    output: Tensor


def read(cells: Sequence[Sequence[Sequence[str]]]) -> Tensor:
    """Read a batch that was typed, a grid for each sentence: (B, T, D).

    Raises:
        CellError: If a cell holds no number, or one beyond MOST, or the sentences differ in size.
    """
    sentences = [numbers(name, typed) for name, typed in zip(SENTENCES, cells, strict=True)]
    first = sentences[0]
    for name, sentence in zip(SENTENCES, sentences, strict=True):
        if sentence.shape != first.shape:
            raise CellError(
                Place(name),
                "{name} is {rows} x {columns} and {first} {first_rows} x {first_columns}: "
                "sentences of a batch have as many tokens, and as many features.",
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
                "{number:g} is too large to be squared and averaged here: take one up to {most:g}.",
                number=float(sentence[row, column]),
                most=MOST,
            )
    return torch.stack(sentences)


def layer_norm(x: Tensor) -> Normalised:
    """Normalise each token by its own features, (B, T, D): nobody else is asked."""
    mean = x.mean(dim=-1)  # (B, T, D) -> (B, T)
    variance = (x - mean[..., None]).square().mean(dim=-1)
    output = (x - mean[..., None]) / (variance[..., None] + EPSILON).sqrt()
    return Normalised(mean, variance, output)


def batch_norm(x: Tensor, counted: Tensor | None = None) -> Normalised:
    """Normalise each feature by all tokens of the batch.

    Args:
        x: (B, T, D).
        counted: Tokens whose numbers are averaged, boolean (B, T); all unless given, as
            BatchNorm does, which knows of no padding.
    """
    rows = x.flatten(0, 1) if counted is None else x[counted]  # (B, T, D) -> (N, D)
    mean = rows.mean(dim=0)
    variance = (rows - mean).square().mean(dim=0)
    return Normalised(mean, variance, (x - mean) / (variance + EPSILON).sqrt())


def real_tokens(x: Tensor, n_padded: int) -> Tensor:
    """Which tokens are no padding, boolean (B, T): the last ``n_padded`` of the last sentence are.

    Args:
        x: (B, T, D).
        n_padded: As many as leave the sentence a token, at most.
    """
    n_tokens = x.shape[1]
    real = torch.ones(x.shape[:2], dtype=torch.bool)
    real[-1, max(1, n_tokens - n_padded) :] = False
    return real


def moved_by_padding(x: Tensor, real: Tensor) -> float:
    """How far padding moves BatchNorm's output of a real token, at most.

    Args:
        x: (B, T, D).
        real: Which tokens are no padding, (B, T).
    """
    moved = (batch_norm(x).output - batch_norm(x, real).output)[real]  # (N, D)
    return float(moved.abs().max())


def script(x: Tensor) -> str:
    """The Python that computes both with torch's own modules, and draws one."""
    return f"""import torch
from model.calculator.norms import batch_norm, layer_norm
from viz.figures.norms import norm_heatmap

x = torch.tensor({x.tolist()}, dtype=torch.float64)  # (sentences, tokens, features)
by_token = layer_norm(x).output
by_feature = batch_norm(x).output

theirs = torch.nn.LayerNorm(x.shape[-1], dtype=torch.float64)(x)
assert torch.allclose(by_token, theirs)
channels = torch.nn.BatchNorm1d(x.shape[-1], dtype=torch.float64)  # wants features before tokens
assert torch.allclose(by_feature, channels(x.transpose(1, 2)).transpose(1, 2))

rows = [f"{{sentence}}{{token}}" for sentence in "AB" for token in range(x.shape[1])]
norm_heatmap(by_token.flatten(0, 1).numpy(), rows)
"""
