"""Values of a lesson computed by arithmetic, by the Calculator or by an experiment."""

import math
from dataclasses import replace
from typing import Annotated, Literal, Self

import torch
from pydantic import Field, NonNegativeInt, model_validator
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from model import HeadlightError
from model.calculator import PRESETS, from_qkv, numbers, scaling
from model.calculator.matrices import head_matrices
from model.calculator.norms import batch_norm, layer_norm
from model.transformer.attention import causal_mask, scaled_dot_product_attention
from model.transformer.masks import sliding_window
from model.transformer.positions import frequencies
from pages.lessons.value import Name, Value, entry
from web.cache.shared_cache import SMALL_BYTES, shared


@shared(SMALL_BYTES)
def _spread(seed: int, n_keys: int) -> scaling.Spread:
    return scaling.spread(seed, n_keys)


class Constant(Value):
    """A constant."""

    what: Literal["constant"]
    number: float

    def compute(self) -> float:
        """Return the number."""
        return self.number


class Cell(Value):
    """A cell of the first head of one of the Calculator's examples.

    Attributes:
        shared: Whether the queries also serve as keys.
    """

    what: Literal["cell"]
    example: Name
    matrix: Name
    query: NonNegativeInt
    key: NonNegativeInt
    scaled: bool | None = None
    mask: Literal["none", "causal", "padding"] | None = None
    shared: bool = False

    def compute(self) -> float:
        """Return the cell's number."""
        example = PRESETS.get(self.example)
        if example is None or "Q" not in example.cells:  # others begin with X and W_Q
            raise HeadlightError("There is no example {name} with Q, K and V.", name=self.example)
        q, k, v = (numbers(name, example.cells[name]) for name in ("Q", "K", "V"))
        k = q if self.shared else k
        settings = example.settings
        if self.scaled is not None:
            settings = replace(settings, scaled=self.scaled)
        if self.mask is not None:
            settings = replace(settings, mask=self.mask)
        arrays = head_matrices(from_qkv(q, k, v, settings), 0)
        if self.matrix not in arrays:
            raise HeadlightError("The example has no matrix {name}.", name=self.matrix)
        return entry(arrays[self.matrix], self.query, self.key)


Row = Annotated[tuple[float, ...], Field(min_length=1, max_length=16)]
Matrix = Annotated[tuple[Row, ...], Field(min_length=1, max_length=16)]


class Norm(Value):
    """One number of a normalised batch of two sentences."""

    what: Literal["norm"]
    of: Literal["layer", "batch"]
    a: Matrix
    b: Matrix
    sentence: Literal["a", "b"]
    token: NonNegativeInt
    feature: NonNegativeInt

    @model_validator(mode="after")
    def _check_shapes(self) -> Self:
        if len(self.a) != len(self.b) or len({len(row) for row in (*self.a, *self.b)}) > 1:
            raise ValueError("both sentences have the same number of tokens and of features")
        return self

    def compute(self) -> float:
        """Return the normalised number."""
        x = torch.tensor([self.a, self.b], dtype=torch.float64)
        output = (layer_norm if self.of == "layer" else batch_norm)(x).output
        return entry(output, "ab".index(self.sentence), self.token, self.feature)


class Spread(Value):
    """A measurement of the √d_k experiment with the page's default settings."""

    what: Literal["spread"]
    d_k: int
    of: Literal[
        "std_raw", "std_scaled", "entropy_raw", "entropy_scaled",
        "gradient_raw", "gradient_scaled", "largest_raw", "largest_scaled",
    ]  # fmt: skip

    def compute(self) -> float:
        """Return the measured number."""
        measured = _spread(0, 16)
        sizes = measured.d_k.tolist()
        if self.d_k not in sizes:
            raise HeadlightError("The experiment has no d_k of {d_k}.", d_k=self.d_k)
        return float(getattr(measured, self.of)[sizes.index(self.d_k)])


class Cost(Value):
    """The number of cells that an attention pattern computes for n tokens in one head."""

    what: Literal["cells"]
    n: Annotated[int, Field(ge=1, le=4096)]
    pattern: Literal["full", "causal", "window"] = "full"
    reach: Annotated[int, Field(ge=0, le=4096)] = 2

    def compute(self) -> float:
        """Return the number of cells."""
        if self.pattern == "full":
            return float(self.n**2)
        n, reach = self.n, self.reach
        mask = causal_mask(n) if self.pattern == "causal" else sliding_window(n, reach)
        return float(mask.sum())


class LayersNeeded(Value):
    """The number of layers after which a sliding window connects two tokens (counted from 0)."""

    what: Literal["layers_to"]
    query: NonNegativeInt
    key: NonNegativeInt
    reach: Annotated[int, Field(ge=1, le=128)]

    def compute(self) -> float:
        """Return the number of layers."""
        return float(math.ceil(abs(self.query - self.key) / self.reach))


class Wavelength(Value):
    """The wavelength of a pair of sinusoids, in positions."""

    what: Literal["wavelength"]
    pair: NonNegativeInt
    d_model: Annotated[int, Field(ge=2, le=65_536)] = 128

    def compute(self) -> float:
        """Return the wavelength."""
        return 2 * math.pi / entry(frequencies(self.d_model), self.pair)


class Products(Value):
    """The number of products q · k that attention computes for n tokens under a mask."""

    what: Literal["products"]
    n: Annotated[int, Field(ge=1, le=64)]
    pattern: Literal["full", "causal", "window"] = "full"
    reach: Annotated[int, Field(ge=0, le=64)] = 2

    def compute(self) -> float:
        """Count the operations of one head: 2 d_k for each q · k, and as many for the context."""
        mask = None
        if self.pattern != "full":
            n, reach = self.n, self.reach
            mask = causal_mask(n) if self.pattern == "causal" else sliding_window(n, reach)
        q = torch.ones(self.n, 4)  # (T, K), K = 4
        with FlopCounterMode(display=False) as counter:
            scaled_dot_product_attention(q, q, q, mask)
        return sum(counter.flop_counts["Global"].values()) / (4 * q.shape[1])


class DropoutFactor(Value):
    """The factor on the attention weights that dropout keeps in training."""

    what: Literal["dropout"]
    p: Annotated[float, Field(ge=0, lt=1)]

    def compute(self) -> float:
        """Return the factor, measured on 4,096 equal weights."""
        n = 64
        same, identity = torch.zeros(n, 1).double(), torch.eye(n).double()
        steps = scaled_dot_product_attention(same, same, identity, dropout=self.p)
        return float((steps.context / steps.weights).max())  # the context is what is left of them


class CausalLeak(Value):
    """The change of the first token's output of PyTorch's attention function by later tokens."""

    what: Literal["leak"]
    is_causal: bool

    def compute(self) -> float:
        """Return the largest difference after the later keys and values are replaced."""
        x = torch.arange(24.0).reshape(1, 6, 4).sin()  # (1, T, K)
        other = torch.cat((x[:, :1], -x[:, 1:]), dim=1)
        one, two = (
            functional.scaled_dot_product_attention(x, keys, keys, is_causal=self.is_causal)
            for keys in (x, other)
        )
        return float((one[:, 0] - two[:, 0]).abs().max())
