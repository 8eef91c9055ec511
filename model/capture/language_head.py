"""Language head of a model: from the residual stream after the last layer to logits.

Axes: D d_model, E width of the output table, V vocab_size.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from model.capture.sites import to_cpu

Reading = tuple[Tensor, Tensor]
"""Affine function ``x @ direction + constant`` of a vector: direction (D,), constant; float64."""


@dataclass(frozen=True)
class LanguageHead:
    """Steps after the last layer, and output table of a model.

    Attributes:
        table: A row for each token, (V, E).
        bias: Added to the logits, (V,); None: nothing.
        steps: From the last layer's output to the table's input: norms, linear maps and
            activations, such as the transform of a masked-language head (Devlin et al. 2018).
        factor: Multiplies the logits.
        cap: Largest size of a logit z, as cap * tanh(z / cap) (Gemma 2, 2024, section 2); None:
            unlimited.
    """

    table: Tensor
    bias: Tensor | None
    steps: tuple[Callable[[Tensor], Tensor], ...] = ()
    factor: float = 1.0
    cap: float | None = None

    def logits(self, states: Tensor) -> Tensor:
        """Compute logits: (..., D) -> (..., V)."""
        x = states.to(self.table)  # device and dtype
        for step in self.steps:
            x = step(x)
        return self.project(x)

    def project(self, states: Tensor) -> Tensor:
        """Compute logits from states after the steps: (..., E) -> (..., V)."""
        logits = functional.linear(states.to(self.table), self.table, self.bias)
        return to_cpu(self._capped(logits if self.factor == 1 else logits * self.factor))

    def _capped(self, logits: Tensor) -> Tensor:
        return logits if self.cap is None else self.cap * (logits / self.cap).tanh()

    def reading(self, state: Tensor, token_id: int) -> Reading:
        """Express the logit of a token as an affine function of the state, (D,); exact there.

        The divisors of the norms, and the factors by which the activations and the cap multiply
        their inputs, are constants taken from this state.
        """
        x, entering = state.to(self.table), []  # device and dtype
        for step in self.steps:
            entering.append(x)
            x = step(x)
        direction = _double(self.table[token_id]) * self.factor  # (E,)
        constant = direction.new_zeros(())
        if self.bias is not None:
            constant = _double(self.bias[token_id]) * self.factor
        logit = _double(x) @ direction + constant
        gate = _gate(logit, self._capped(logit))
        after: Reading = direction * gate, constant * gate
        for step, x in zip(reversed(self.steps), reversed(entering), strict=True):
            after = _before(step, x, after)
        return after


def _before(step: Callable[[Tensor], Tensor], x: Tensor, after: Reading) -> Reading:
    if is_norm(step):
        return before_norm(step, x, after)
    direction, constant = after
    if isinstance(step, nn.Linear):
        if step.bias is not None:
            constant = constant + direction @ _double(step.bias)
        return direction @ _double(step.weight), constant  # (E,) @ (E, D) -> (D,)
    # Every activation here is a factor times its input, such as GELU(z) = z Phi(z).
    return direction * _gate(_double(x), _double(step(x))), constant


def _gate(x: Tensor, output: Tensor) -> Tensor:
    """Factor of each number; any factor is right for 0."""
    return output / x.where(x != 0, 1.0)


def is_norm(step: Callable[[Tensor], Tensor]) -> bool:
    """Return whether a module is a LayerNorm or RMSNorm, by its name in every library."""
    return "norm" in type(step).__name__.lower()


def before_norm(norm: Callable[[Tensor], Tensor], x: Tensor, after: Reading) -> Reading:
    """Convert an affine function of a norm's output into one of its input, with a constant divisor.

    LayerNorm(x) = gain * (x - mean(x)) / deviation + bias (Ba et al. 2016, eq. 3). With a constant
    deviation it is affine in x. RMSNorm has neither mean nor bias. Norms name their parameters
    differently, so all factors come from the norm's own outputs.
    """
    direction, constant = after
    exact, x = deepcopy(norm), _double(x)
    if isinstance(exact, nn.Module):
        exact.to(x)
    bias = exact(torch.zeros_like(x))
    centred = torch.allclose(exact(torch.ones_like(x)), bias)
    factor = _gate(x - x.mean() if centred else x, exact(x) - bias)
    constant, direction = constant + direction @ bias, direction * factor
    return (direction - direction.mean() if centred else direction), constant


def _double(x: Tensor) -> Tensor:
    """Float64 on the CPU: the graphics of a Mac have no such numbers."""
    return to_cpu(x).double()
