"""Settings of a calculation: the divisor of the scores, and the mask.

Axes: Tq queries, Tk keys.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from model.calculator.cells import CellAddress, CellError
from model.transformer.attention import causal_mask

MaskKind = Literal["none", "causal", "padding", "custom"]


@dataclass(frozen=True)
class CalculatorSettings:
    """The changes of the scores between the product and the softmax.

    Attributes:
        temperature: A second divisor, positive and finite.
        mask: The keys that a query may see. Causal: its own and the earlier ones. Padding: all but
            the last ones. Custom: all but the hidden ones.
        hidden: Pairs (query, key) that a custom mask hides.
    """

    scaled: bool = True
    temperature: float = 1.0
    mask: MaskKind = "none"
    padding: int = 1
    hidden: frozenset[tuple[int, int]] = field(default_factory=frozenset)

    def divisor(self, d_k: int, own_scale: float | None = None) -> float:
        """The divisor of the raw scores; CellError for a temperature that is not positive."""
        root = math.sqrt(d_k) if own_scale is None else 1 / own_scale
        divisor = (root if self.scaled else 1.0) * self.temperature
        if not (math.isfinite(divisor) and divisor > 0 and math.isfinite(1 / divisor)):
            raise CellError(
                CellAddress("scaled_scores"),
                "The temperature must be a positive finite number, not {temperature:g}.",
                temperature=self.temperature,
            )
        return divisor

    def allowed(self, n_queries: int, n_keys: int) -> Tensor | None:
        """The mask, boolean (Tq, Tk), True where attention is allowed; None without a mask."""
        if self.mask == "none":
            return None
        allowed = torch.ones(n_queries, n_keys, dtype=torch.bool)
        if self.mask == "causal":
            allowed = causal_mask(max(n_queries, n_keys))[:n_queries, :n_keys]
        elif self.mask == "padding":
            allowed[:, max(n_keys - self.padding, 0) :] = False
        else:
            for query, key in self.hidden:
                # Pairs outside the grid remain from a larger one.
                if 0 <= query < n_queries and 0 <= key < n_keys:
                    allowed[query, key] = False
        return allowed
