"""Numbers of a lesson that follow from arithmetic, from the Calculator, or from an experiment."""

import math
from dataclasses import replace
from typing import Literal

import torch
from pydantic import NonNegativeInt, PositiveInt

from model.calculator import PRESETS, from_qkv, numbers, scaling
from model.calculator.matrices import head_matrices
from model.calculator.norms import batch_norm, layer_norm
from model.transformer.attention import causal_mask
from model.transformer.cost import Sizes, costs
from model.transformer.masks import layers_needed, sliding_window
from model.transformer.positions import frequencies
from pages.lessons.value import Value
from pages.shared.once import SMALL_BYTES, shared


@shared(SMALL_BYTES)
def _spread(seed: int, n_keys: int) -> scaling.Spread:
    return scaling.spread(seed, n_keys)


class Constant(Value):
    """A number that is so by arithmetic."""

    what: Literal["constant"]
    number: float

    def compute(self) -> float:
        """The number itself."""
        return self.number


class Cell(Value):
    """A cell of one of the Calculator's examples with Q, K and V, its first head."""

    what: Literal["cell"]
    example: str
    matrix: str
    query: NonNegativeInt
    key: NonNegativeInt
    scaled: bool | None = None
    mask: Literal["none", "causal", "padding"] | None = None

    def compute(self) -> float:
        """The number in it."""
        example = PRESETS[self.example]
        q, k, v = (numbers(name, example.cells[name]) for name in ("Q", "K", "V"))
        settings = example.settings
        if self.scaled is not None:
            settings = replace(settings, scaled=self.scaled)
        if self.mask is not None:
            settings = replace(settings, mask=self.mask)
        arrays = head_matrices(from_qkv(q, k, v, settings), 0)
        return float(arrays[self.matrix][self.query][self.key])


class Norm(Value):
    """A number of a batch of two sentences, normalised."""

    what: Literal["norm"]
    of: Literal["layer", "batch"]
    a: tuple[tuple[float, ...], ...]
    b: tuple[tuple[float, ...], ...]
    sentence: Literal["a", "b"]
    token: NonNegativeInt
    feature: NonNegativeInt

    def compute(self) -> float:
        """The number."""
        x = torch.tensor([self.a, self.b], dtype=torch.float64)
        output = (layer_norm if self.of == "layer" else batch_norm)(x).output
        return float(output["ab".index(self.sentence), self.token, self.feature])


class Spread(Value):
    """What the experiment behind √d_k measures at a d_k, as the page begins."""

    what: Literal["spread"]
    d_k: int
    of: str

    def compute(self) -> float:
        """The measured number."""
        measured = _spread(0, 16)
        return float(getattr(measured, self.of)[list(measured.d_k).index(self.d_k)])


class Cost(Value):
    """Cells that a pattern of attention computes for n tokens, in one head."""

    what: Literal["cells"]
    n: int
    pattern: Literal["full", "causal", "window"] = "full"
    reach: int = 2

    def compute(self) -> float:
        """How many."""
        if self.pattern == "causal":
            return float(causal_mask(self.n).sum())
        return float(costs(Sizes(reach=self.reach))[self.pattern].numbers(self.n))


class LayersTo(Value):
    """After how many layers of a window a token may know of another; both count from 0."""

    what: Literal["layers_to"]
    n: PositiveInt
    query: NonNegativeInt
    key: NonNegativeInt
    reach: NonNegativeInt

    def compute(self) -> float:
        """The layers."""
        return float(layers_needed(sliding_window(self.n, self.reach))[self.query, self.key])


class Wavelength(Value):
    """How many positions a pair of sinusoids takes to repeat."""

    what: Literal["wavelength"]
    pair: NonNegativeInt
    d_model: int = 128

    def compute(self) -> float:
        """The positions."""
        return 2 * math.pi / float(frequencies(self.d_model)[self.pair])
