"""What a person sets between the scores and the softmax: the divisor and the mask.

Axes: Tq queries, Tk keys.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from model.calculator.cells import CellError, Place
from model.transformer.attention import causal_mask

Mask = Literal["none", "causal", "padding", "custom"]


@dataclass(frozen=True)
class Settings:
    """What is done to the scores between the product and the softmax.

    Attributes:
        scaled: Divide by sqrt(d_k), as eq. 1 of Vaswani et al. 2017 does.
        temperature: Divide by this too; positive and finite.
        mask: Which keys a query may see. Causal: itself and what came before. Padding: all but
            the last ones. Custom: all but the hidden ones.
        padding: How many of the last keys are padding.
        hidden: (query, key) pairs that a custom mask hides.
    """

    scaled: bool = True
    temperature: float = 1.0
    mask: Mask = "none"
    padding: int = 1
    hidden: frozenset[tuple[int, int]] = field(default_factory=frozenset)

    def divisor(self, d_k: int, own_scale: float | None = None) -> float:
        """What the raw scores are divided by.

        Args:
            d_k: Whose root it is.
            own_scale: A model's own factor in place of 1 / sqrt(d_k).

        Raises:
            CellError: If the temperature is no positive finite number.
        """
        root = math.sqrt(d_k) if own_scale is None else 1 / own_scale
        divisor = (root if self.scaled else 1.0) * self.temperature
        if not (math.isfinite(divisor) and divisor > 0 and math.isfinite(1 / divisor)):
            raise CellError(
                Place("scaled_scores"),
                "The temperature is {temperature:g}: the scores can only be divided by a positive "
                "finite number.",
                temperature=self.temperature,
            )
        return divisor

    def allowed(self, n_queries: int, n_keys: int) -> Tensor | None:
        """The mask, True where attention is allowed, (Tq, Tk); None if nothing is hidden."""
        if self.mask == "none":
            return None
        allowed = torch.ones(n_queries, n_keys, dtype=torch.bool)
        if self.mask == "causal":
            allowed = causal_mask(max(n_queries, n_keys))[:n_queries, :n_keys]
        elif self.mask == "padding":
            allowed[:, max(n_keys - self.padding, 0) :] = False
        else:
            for query, key in self.hidden:
                if (
                    0 <= query < n_queries and 0 <= key < n_keys
                ):  # others hide nothing: the grid has shrunk
                    allowed[query, key] = False
        return allowed
