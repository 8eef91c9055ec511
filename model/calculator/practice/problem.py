"""Random attention problems that are small enough to solve by hand.

Axes: H n_heads, Tq queries, Tk keys, K d_k of the queries and keys, Kv d_v of the values.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from model.calculator.practice.exercise import StepName
from model.calculator.settings import CalculatorSettings
from model.calculator.steps import Calculation, from_qkv

_SATURATED = 0.97  # above this weight, the other keys of the row hardly count


@dataclass(frozen=True)
class Problem:
    """One head of attention: float64 q (Tq, K), k (Tk, K), v (Tk, Kv), and the settings."""

    q: Tensor
    k: Tensor
    v: Tensor
    settings: CalculatorSettings

    def calculation(self) -> Calculation:
        """The whole calculation, as the Calculator shows it."""
        return from_qkv(self.q, self.k, self.v, self.settings)

    def true(self, step: StepName) -> Tensor:
        """The right scaled scores (before the mask) or weights, (Tq, Tk), or context, (Tq, Kv)."""
        results: Tensor = getattr(self.calculation().steps, step)
        return results[0]  # (H = 1, Tq, ...) -> (Tq, ...)

    def from_rounded_steps(self, step: StepName, decimals: int) -> Tensor:
        """:meth:`true` of a person who rounds each step; nan where powers are too small."""
        calculation = self.calculation()
        divisor = round(calculation.divisor, decimals)
        scores = self.q @ self.k.T / divisor  # (Tq, K) @ (K, Tk) -> (Tq, Tk)
        if step == "scaled_scores":
            return scores
        masked = scores.round(decimals=decimals)
        if calculation.allowed is not None:
            masked = masked.masked_fill(~calculation.allowed, -torch.inf)
        powers = masked.exp().round(decimals=decimals)
        weights = powers / powers.sum(-1, keepdim=True).round(decimals=decimals)
        return weights if step == "weights" else weights.round(decimals=decimals) @ self.v

    @classmethod
    def draw(cls, rng: np.random.Generator, level: int, settings: CalculatorSettings) -> Self:
        """Draw a problem in which no row and no column is trivial."""
        n_tokens, d_k, d_v = _sizes(rng, level, settings)
        lowest = -2 if level == 3 else 0

        def whole_numbers(columns: int, highest: int) -> Tensor:
            drawn = rng.integers(lowest, highest, (n_tokens, columns), endpoint=True)
            return torch.from_numpy(drawn.astype(np.float64))

        while True:
            q, k, v = whole_numbers(d_k, 2), whole_numbers(d_k, 3) / 2, whole_numbers(d_v, 2)
            problem = cls(q, k, v, settings)
            if not _is_trivial(problem):
                return problem


def _sizes(
    rng: np.random.Generator, level: int, settings: CalculatorSettings
) -> tuple[int, int, int]:
    """Number of tokens, d_k and d_v."""
    if level == 1:
        return 2, int(rng.choice([2, 4])), 2
    if level == 2:
        return 3, 4, 2
    n_tokens, d_k, d_v = rng.integers([3, 2, 2], [4, 4, 3], endpoint=True).tolist()
    # d_k = 3 keeps the wrong divisors apart: without sqrt(3), and without the temperature 2.
    return n_tokens, d_k if settings.temperature == 1 else 3, d_v


def _is_trivial(problem: Problem) -> bool:
    """Whether some row or column needs no calculation."""
    steps = problem.calculation().steps
    # (H = 1, Tq, Tk) -> (Tq, Tk); only rows with more than one visible key
    choices = [row[row > 0] for row in steps.weights[0] if (row > 0).sum() > 1]
    equal_contexts = len(steps.context[0].round(decimals=6).unique(dim=0)) < len(problem.q)
    return (
        equal_contexts
        or _has_constant_row(steps.raw_scores[0])
        or _has_constant_row(problem.v.T)  # (Tk, Kv) -> (Kv, Tk)
        or any(row.max() > _SATURATED or row.max() - row.min() < 1e-9 for row in choices)
    )


def _has_constant_row(matrix: Tensor) -> bool:
    return bool((matrix.amax(-1) == matrix.amin(-1)).any())
