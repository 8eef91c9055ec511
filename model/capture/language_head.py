"""The way from the residual stream behind the last layer to logits: a model's own norm and head.

Axes: D d_model, E width of the output table, V vocab_size.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

Reading = tuple[Tensor, Tensor]
"""How a number is read off a vector x: direction (D,) and constant, both float64, of
``x @ direction + constant``."""


@dataclass(frozen=True)
class Transform:
    """What a masked-language head computes before the table (Devlin et al. 2018)."""

    dense: nn.Linear
    activation: Callable[[Tensor], Tensor]
    norm: nn.LayerNorm


@dataclass(frozen=True)
class LanguageHead:
    """A model's own way to logits.

    Attributes:
        table: A row for each token, (V, E).
        bias: Added to the logits, (V,); None: nothing.
        final_norm: What a pre-norm model normalises its last sum with; None where the norm is post.
        transform: Of a masked-language head; None where the table reads the states themselves.
    """

    table: Tensor
    bias: Tensor | None
    final_norm: nn.Module | None = None
    transform: Transform | None = None

    def logits(self, states: Tensor) -> Tensor:
        """(..., D), as they leave a layer, to (..., V)."""
        x = states if self.final_norm is None else self.final_norm(states)
        if self.transform is not None:
            x = self.transform.norm(self.transform.activation(self.transform.dense(x)))
        return functional.linear(x, self.table, self.bias)

    def reading(self, state: Tensor, token_id: int) -> Reading:
        """How the logit of a token is read off one state, (D,).

        Exact at this state: what norms divide by, and what the activation multiplies each of its
        inputs by, are held as they are here.
        """
        normed = state if self.final_norm is None else self.final_norm(state)
        direction = self.table[token_id].double()  # (E,)
        constant = direction.new_zeros(()) if self.bias is None else self.bias[token_id].double()
        if self.transform is not None:
            direction, constant = _before_transform(self.transform, normed, (direction, constant))
        if self.final_norm is not None:
            direction, constant = before_norm(self.final_norm, state, (direction, constant))
        return direction, constant


def before_norm(norm: nn.Module, x: Tensor, after: Reading) -> Reading:
    """What reads the output of a norm, as a reading of its input x (D,), its divisor held.

    LayerNorm(x) = gain * (x - mean(x)) / deviation + bias (Ba et al. 2016, eq. 3): with the
    deviation held it is linear in x, the mean included. RMSNorm takes off no mean and adds nothing.
    """
    direction, constant = after
    gain, bias = norm.get_parameter("weight").double(), getattr(norm, "bias", None)
    centred = isinstance(norm, nn.LayerNorm)
    out, given = norm(x).double(), x.double()
    if bias is not None:
        out, constant = out - bias.double(), constant + direction @ bias.double()
    if centred:
        given = given - given.mean()
    # Read off what the norm itself computed, whatever it calls its epsilon.
    scale = out.norm() / (gain * given).norm()
    direction = direction * gain * scale
    return (direction - direction.mean() if centred else direction), constant


def _before_transform(transform: Transform, x: Tensor, after: Reading) -> Reading:
    dense = transform.dense
    inner = dense(x)  # (D,) -> (E,)
    active = transform.activation(inner)
    direction, constant = before_norm(transform.norm, active, after)
    # GELU(z) = z Phi(z), and so every activation here: a factor times its input.
    gate = active.double() / inner.double().where(inner != 0, 1.0)
    direction = direction * gate
    if dense.bias is not None:
        constant = constant + direction @ dense.bias.double()
    return direction @ dense.weight.double(), constant  # (E,) @ (E, D) -> (D,)
