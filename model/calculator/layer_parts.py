"""Records of a whole layer: every intermediate result of every part.

Axes: T tokens (Tq queries, Tk keys), D d_model, F d_ff, H n_heads, K d_head; I inputs and O outputs
of a linear map. All float64.
"""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from model.transformer.attention import AttentionSteps

Part = Literal["self", "cross", "ffn"]
"""A sublayer: self-attention, cross-attention, feed-forward network."""


@dataclass(frozen=True)
class Affine:
    """A linear map x W + b.

    Attributes:
        x: The input, (T, I).
        weight: W as in the paper, (I, O); torch stores its transpose.
        bias: b, (O,).
        result: The output, (T, O).
    """

    x: Tensor
    weight: Tensor
    bias: Tensor
    result: Tensor


@dataclass(frozen=True)
class Normed:
    """LayerNorm (Ba et al. 2016, eqs. 3 and 4): each token's numbers, centred and scaled.

    Attributes:
        x: The input, (T, D).
        mean: Mean of each row, (T, 1).
        variance: Biased variance of each row (divided by D), (T, 1).
        eps: Constant under the root.
        gain: Gamma, (D,).
        bias: Beta, (D,).
        result: (x - mean) / sqrt(variance + eps) * gain + bias, (T, D).
    """

    x: Tensor
    mean: Tensor
    variance: Tensor
    eps: float
    gain: Tensor
    bias: Tensor
    result: Tensor


@dataclass(frozen=True)
class Attended:
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2).

    Attributes:
        q: Queries of all heads side by side, (Tq, H*K).
        k: Keys, (Tk, H*K); in cross-attention, of the source's tokens.
        v: Values, (Tk, H*K).
        n_heads: Number of heads, H.
        allowed: Boolean (Tq, Tk), True where attention is allowed, or None.
        steps: The steps of all heads, (H, Tq, ...).
        concatenated: The heads' contexts side by side, (Tq, H*K).
        output: ``concatenated`` through W^O, (Tq, D).
    """

    q: Affine
    k: Affine
    v: Affine
    n_heads: int
    allowed: Tensor | None
    steps: AttentionSteps
    concatenated: Tensor
    output: Affine


@dataclass(frozen=True)
class Fed:
    """The feed-forward network (Vaswani et al. 2017, eq. 2).

    Attributes:
        hidden: x W_1 + b_1, (T, F).
        activation: "relu" or "gelu".
        activated: ReLU: max(0, hidden). GELU: hidden times the normal distribution's CDF. (T, F).
        output: ``activated`` W_2 + b_2, (T, D).
    """

    hidden: Affine
    activation: str
    activated: Tensor
    output: Affine


@dataclass(frozen=True)
class Sublayer:
    """One sublayer with its residual connection and its LayerNorm.

    Attributes:
        part: The kind of sublayer.
        x: The residual stream before it, (T, D).
        inner: The attention or the feed-forward network.
        added: x plus the output of ``inner``, (T, D).
        norm: LayerNorm of ``added`` (post-norm) or of ``x`` (pre-norm).
        result: The residual stream after it, (T, D).
    """

    part: Part
    x: Tensor
    inner: Attended | Fed
    added: Tensor
    norm: Normed
    result: Tensor


@dataclass(frozen=True)
class WholeLayer:
    """A layer from its input to its output.

    Attributes:
        x: The input, (T, D).
        pre_norm: Whether the LayerNorm comes before each sublayer, or after each sum.
        sublayers: In order: two in an encoder, three in a decoder with cross-attention.
    """

    x: Tensor
    pre_norm: bool
    sublayers: tuple[Sublayer, ...]

    @property
    def output(self) -> Tensor:
        """The output, (T, D)."""
        return self.sublayers[-1].result

    @property
    def n_heads(self) -> int:
        """Number of heads of each attention, H."""
        return next(s.inner.n_heads for s in self.sublayers if isinstance(s.inner, Attended))

    @property
    def d_ff(self) -> int:
        """Number of hidden units of the feed-forward network, F."""
        return next(s.inner.activated.shape[1] for s in self.sublayers if isinstance(s.inner, Fed))
