"""What a whole layer is made of, once it is worked out: every intermediate of every part.

Axes: T tokens (Tq queries, Tk keys), D d_model, F d_ff, H n_heads, K d_head; I and O, the width of
what goes into a linear map and of what comes out. All float64.
"""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from model.transformer.attention import AttentionSteps

Part = Literal["self", "cross", "ffn"]
"""A sublayer: attention to the layer's own tokens, attention to the source, feed-forward."""


@dataclass(frozen=True)
class Affine:
    """x W + b.

    Attributes:
        x: (T, I).
        weight: W as the paper writes it, (I, O); torch keeps it transposed.
        bias: b, (O,).
        result: (T, O).
    """

    x: Tensor
    weight: Tensor
    bias: Tensor
    result: Tensor


@dataclass(frozen=True)
class Normed:
    """LayerNorm (Ba et al. 2016, eqs. 3 and 4): the D numbers of each token, centred and scaled.

    Attributes:
        x: (T, D).
        mean: Of each row, (T, 1).
        variance: Of each row, divided by D and not by D - 1, (T, 1).
        eps: What keeps the root from 0.
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
    """Multi-head attention, all heads of it (section 3.2.2).

    Attributes:
        q: Queries of all heads side by side, (Tq, H*K).
        k: Keys, (Tk, H*K); of the source's tokens in cross-attention.
        v: Values, (Tk, H*K).
        n_heads: H.
        allowed: Boolean (Tq, Tk), True where attention is allowed, or None.
        steps: Of every head, (H, Tq, ...).
        concatenated: The heads' contexts side by side, (Tq, H*K).
        output: Through W^O, (Tq, D).
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
    """The feed-forward network (eq. 2).

    Attributes:
        hidden: x W_1 + b_1, (T, F).
        activation: "relu" or "gelu".
        activated: max(0, hidden), or hidden times the share of a normal distribution below it.
        output: Times W_2, plus b_2, (T, D).
    """

    hidden: Affine
    activation: str
    activated: Tensor
    output: Affine


@dataclass(frozen=True)
class Sublayer:
    """One of the two or three parts of a layer, with its residual connection and its LayerNorm.

    Attributes:
        part: Which one.
        x: The residual stream as it enters, (T, D).
        inner: What the sublayer itself works out.
        added: x + what comes out of it, (T, D).
        norm: Of ``added`` in a post-norm layer, of ``x`` in a pre-norm one.
        result: The residual stream as it leaves, (T, D).
    """

    part: Part
    x: Tensor
    inner: Attended | Fed
    added: Tensor
    norm: Normed
    result: Tensor


@dataclass(frozen=True)
class WholeLayer:
    """A layer from its entrance to its exit.

    Attributes:
        x: What enters, (T, D).
        pre_norm: Whether the LayerNorm comes before each sublayer or after each sum.
        sublayers: In their order: two of an encoder, three of a decoder that looks at a source.
    """

    x: Tensor
    pre_norm: bool
    sublayers: tuple[Sublayer, ...]

    @property
    def output(self) -> Tensor:
        """What leaves, (T, D)."""
        return self.sublayers[-1].result

    @property
    def n_heads(self) -> int:
        """Heads of each attention, H."""
        return next(s.inner.n_heads for s in self.sublayers if isinstance(s.inner, Attended))

    @property
    def d_ff(self) -> int:
        """Hidden units of the feed-forward network, F."""
        return next(s.inner.activated.shape[1] for s in self.sublayers if isinstance(s.inner, Fed))
