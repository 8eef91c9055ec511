"""Language head of a model: from the residual stream after the last layer to logits.

Axes: D d_model, E width of the output table, V vocab_size.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from model.capture.sites import to_cpu

Reading = tuple[Tensor, Tensor]
"""Affine function ``x @ direction + constant`` of a vector: direction (D,), constant; float64."""


@dataclass(frozen=True)
class Transform:
    """Part of a masked-language head before the output table (Devlin et al. 2018): (D,) -> (E,)."""

    dense: nn.Linear
    activation: Callable[[Tensor], Tensor]
    norm: nn.LayerNorm


@dataclass(frozen=True)
class LanguageHead:
    """Final norm, transform and output table of a model.

    Attributes:
        table: A row for each token, (V, E).
        bias: Added to the logits, (V,); None: nothing.
        final_norm: Normalises the last sum of a pre-norm model; None for post-norm.
        transform: Transform of a masked-language head; None if the table reads the states directly.
    """

    table: Tensor
    bias: Tensor | None
    final_norm: nn.Module | None = None
    transform: Transform | None = None

    def logits(self, states: Tensor) -> Tensor:
        """Compute logits: (..., D) -> (..., V)."""
        x = states.to(self.table)  # device and dtype
        x = x if self.final_norm is None else self.final_norm(x)
        if self.transform is not None:
            x = self.transform.norm(self.transform.activation(self.transform.dense(x)))
        return self.project(x)

    def project(self, states: Tensor) -> Tensor:
        """Multiply states after norm and transform by the table: (..., E) -> (..., V)."""
        return to_cpu(functional.linear(states.to(self.table), self.table, self.bias))

    def reading(self, state: Tensor, token_id: int) -> Reading:
        """Express the logit of a token as an affine function of the state, (D,).

        The function is exact at this state. The divisors of the norms, and the factor by which the
        activation multiplies each of its inputs, are constants taken from this state.
        """
        own = state.to(self.table)  # device and dtype
        normed = own if self.final_norm is None else self.final_norm(own)
        direction = _double(self.table[token_id])  # (E,)
        constant = direction.new_zeros(()) if self.bias is None else _double(self.bias[token_id])
        if self.transform is not None:
            direction, constant = _before_transform(self.transform, normed, (direction, constant))
        if self.final_norm is not None:
            direction, constant = before_norm(self.final_norm, state, (direction, constant))
        return direction, constant


def before_norm(norm: nn.Module, x: Tensor, after: Reading) -> Reading:
    """Convert an affine function of a norm's output into one of its input, with a constant divisor.

    LayerNorm(x) = gain * (x - mean(x)) / deviation + bias (Ba et al. 2016, eq. 3). With a constant
    deviation it is affine in x, mean included. RMSNorm subtracts no mean and adds no bias.
    """
    direction, constant = after
    weight, bias = norm.get_parameter("weight"), getattr(norm, "bias", None)
    gain, centred = _double(weight), isinstance(norm, nn.LayerNorm)
    out, centred_x = _double(norm(x.to(weight))), _double(x)
    if bias is not None:
        out, constant = out - _double(bias), constant + direction @ _double(bias)
    if centred:
        centred_x = centred_x - centred_x.mean()
    # From the norm's own output, because norms name their epsilon differently.
    scale = out.norm() / (gain * centred_x).norm()
    direction = direction * gain * scale
    return (direction - direction.mean() if centred else direction), constant


def _before_transform(transform: Transform, x: Tensor, after: Reading) -> Reading:
    dense = transform.dense
    inner = dense(x)  # (D,) -> (E,)
    active = transform.activation(inner)
    direction, constant = before_norm(transform.norm, active, after)
    # Every activation here is a factor times its input, such as GELU(z) = z Phi(z).
    gate = _double(active) / _double(inner.where(inner != 0, 1.0))
    direction = direction * gate
    if dense.bias is not None:
        constant = constant + direction @ _double(dense.bias)
    return direction @ _double(dense.weight), constant  # (E,) @ (E, D) -> (D,)


def _double(x: Tensor) -> Tensor:
    """Float64 on the CPU: the graphics of a Mac have no such numbers."""
    return to_cpu(x).double()
