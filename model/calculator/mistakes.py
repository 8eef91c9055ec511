"""Classic mistakes of attention code, made on purpose, with their effect in numbers.

Axes: H n_heads, Tq queries, Tk keys, Kv d_v of a head.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import torch
from torch import Tensor

from model.calculator.steps import Calculation, SoftmaxParts, softmax_parts
from model.errors import HeadlightError, Sentence
from model.transformer.attention import AttentionSteps, causal_mask, scaled_dot_product_attention

DROPOUT = 0.5
"""Probability of dropping a weight. With the usual 0.1, a small matrix would often lose none."""


@dataclass(frozen=True)
class Mistake:
    """A mistake and the right result.

    Attributes:
        right: The right steps, (H, Tq, ...).
        source: The input of the wrong weights: scores or right weights, (H, Tq, Tk).
        factor: The factor on the source, 0 or more, (H, Tq, Tk); None for other mistakes.
        weights: The wrong weights, (H, Tq, Tk); nan where the mistaken code gives nan.
        context: ``weights @ v``, (H, Tq, Kv).
        parts: The parts of the softmax from source to weights; None if there is none.
    """

    right: AttentionSteps
    source: Tensor
    factor: Tensor | None
    weights: Tensor
    context: Tensor
    parts: SoftmaxParts | None
    assumed: Sentence | None
    findings: tuple[Sentence, ...]


def mistake(name: str, calculation: Calculation) -> Mistake:
    """Make one of the :data:`MISTAKES`; HeadlightError if the calculation cannot show it."""
    if calculation.k.shape[-2] < 2:
        raise HeadlightError("With one key every weight is 1. Add a key to see this mistake.")
    return MISTAKES[name](calculation)


def _inverted_mask(calculation: Calculation) -> Mistake:
    """masked_fill(mask, -inf) with a mask that is True where attention is ALLOWED."""
    right, allowed, assumed = _masked(calculation)
    source = right.scaled_scores.masked_fill(allowed, -math.inf)
    weights = source.softmax(-1)  # nan in a row that may see every key
    is_nan = weights.isnan().any(-1)  # (H, Tq)
    leaks = weights.masked_fill(allowed, 0).sum(-1)[~is_nan]
    blind = int(is_nan[0].sum())
    findings = []
    if len(leaks):
        findings = [
            Sentence(
                "Hidden keys should get no attention. They get {leak:.4f} of a query's attention "
                "on average, and at most {most:.4f}.",
                leak=leaks.mean().item(),
                most=leaks.max().item(),
            )
        ]
    if blind:
        findings.append(
            Sentence(
                "{count} of {total} queries may see every key: the inverted mask hides them all, "
                "and the row becomes nan (not a number), which no mean counts.",
                count=blind,
                total=weights.shape[-2],
            )
        )
    parts = softmax_parts(source)
    return _made(calculation, right, source, weights, findings, parts=parts, assumed=assumed)


def _wrong_axis(calculation: Calculation) -> Mistake:
    """softmax(dim=-2): over the queries rather than the keys."""
    source = calculation.steps.masked_scores
    weights = source.softmax(-2)
    unseen = int(weights.isnan().any(-2)[0].sum())
    findings = [_row_sums(weights.nan_to_num()), Sentence("The columns sum to 1, not the rows.")]
    if unseen:
        findings[1] = Sentence(
            "The columns sum to 1, not the rows. {count} of {total} keys are hidden from every "
            "query, so their columns become nan.",
            count=unseen,
            total=weights.shape[-1],
        )
    parts = softmax_parts(source, -2)
    return _made(calculation, calculation.steps, source, weights, findings, parts=parts)


def _unscaled(calculation: Calculation) -> Mistake:
    """No division by sqrt(d_k)."""
    if calculation.own_scale is not None:
        raise HeadlightError(
            "This model does not divide by √dₖ, so this mistake is impossible here."
        )
    q, k, v = calculation.q, calculation.k, calculation.v
    attend = partial(
        scaled_dot_product_attention, q, k, v, calculation.allowed, bias=calculation.bias
    )
    root = math.sqrt(q.shape[-1])
    temperature = calculation.divisor / (root if calculation.scaled else 1)
    right = calculation.steps
    if not calculation.scaled:  # the calculation itself has the mistake
        right = attend(scale=1 / (root * temperature))
    wrong = attend(scale=1 / temperature)
    findings = [
        Sentence(
            "The largest weight of a row is {wrong:.4f} on average. It should be {right:.4f}.",
            wrong=wrong.weights.amax(-1).mean().item(),
            right=right.weights.amax(-1).mean().item(),
        ),
        Sentence(
            "The mean entropy of a row is {wrong:.4f} nats. It should be {right:.4f}. A "
            "saturated softmax has a small gradient.",
            wrong=_entropy(wrong.weights),
            right=_entropy(right.weights),
        ),
    ]
    source = wrong.masked_scores
    parts = softmax_parts(source)
    return _made(calculation, right, source, wrong.weights, findings, parts=parts)


def _mask_after_softmax(calculation: Calculation) -> Mistake:
    """weights * mask, without a new normalisation of the rows."""
    right, allowed, assumed = _masked(calculation)
    source = right.scaled_scores.softmax(-1)
    factor = allowed.to(source.dtype).expand_as(source)  # (Tq, Tk) -> (H, Tq, Tk)
    weights = source * factor
    lost = 1 - weights.sum(-1)
    findings = [
        _row_sums(weights),
        Sentence(
            "{lost:.4f} of the attention is lost on average, because the softmax already "
            "included the hidden keys.",
            lost=lost.mean().item(),
        ),
    ]
    return _made(calculation, right, source, weights, findings, factor=factor, assumed=assumed)


def _after_dropout(calculation: Calculation) -> Mistake:
    """Weights stored after dropout."""
    right = calculation.steps
    for seed in count():  # take the first draw that drops a weight
        drawn = torch.rand(right.weights.shape, generator=torch.Generator().manual_seed(seed))
        is_left = drawn >= DROPOUT
        if (~is_left & (right.weights > 0)).any():
            break
    factor = is_left.to(right.weights.dtype) / (1 - DROPOUT)  # the survivors are scaled up
    weights = right.weights * factor
    findings = [
        _row_sums(weights),
        Sentence(
            "Dropout with p = {p} set {dropped} of {total} weights to 0 and multiplied the "
            "others by {factor:.4g}. The model itself computed other weights.",
            p=DROPOUT,
            dropped=int((~is_left & (right.weights > 0)).sum()),
            total=int((right.weights > 0).sum()),
            factor=1 / (1 - DROPOUT),
        ),
    ]
    return _made(calculation, right, right.weights, weights, findings, factor=factor)


MISTAKES: dict[str, Callable[[Calculation], Mistake]] = {
    "inverted_mask": _inverted_mask,
    "wrong_axis": _wrong_axis,
    "unscaled": _unscaled,
    "mask_after_softmax": _mask_after_softmax,
    "after_dropout": _after_dropout,
}


MISTAKE_NAMES = {
    "inverted_mask": Sentence("The mask is inverted"),
    "wrong_axis": Sentence("Softmax over the wrong axis"),
    "unscaled": Sentence("No division by √dₖ"),
    "mask_after_softmax": Sentence("Mask after the softmax"),
    "after_dropout": Sentence("Weights shown after dropout"),
}
"""The names of the :data:`MISTAKES` on screen."""


def _masked(calculation: Calculation) -> tuple[AttentionSteps, Tensor, Sentence | None]:
    """The steps and the mask, which is an assumed one if the calculation has none."""
    allowed = calculation.allowed
    if allowed is not None and not allowed.all():
        return calculation.steps, allowed, None
    n_queries, n_keys = calculation.steps.raw_scores.shape[-2:]
    if n_queries == n_keys:
        allowed = causal_mask(n_keys)
        assumed = Sentence("There is no mask, so this example uses a causal one.")
    else:
        allowed = torch.ones(n_queries, n_keys, dtype=torch.bool)
        allowed[:, -1] = False
        assumed = Sentence("There is no mask, so this example hides the last key as padding.")
    scale = 1 / calculation.divisor
    q, k, v = calculation.q, calculation.k, calculation.v
    bias = calculation.bias
    right = scaled_dot_product_attention(q, k, v, allowed, scale=scale, bias=bias)
    return right, allowed, assumed


def _made(
    calculation: Calculation,
    right: AttentionSteps,
    source: Tensor,
    weights: Tensor,
    findings: list[Sentence],
    *,
    factor: Tensor | None = None,
    parts: SoftmaxParts | None = None,
    assumed: Sentence | None = None,
) -> Mistake:
    context = weights @ calculation.v  # (H, Tq, Tk) @ (H, Tk, Kv) -> (H, Tq, Kv)
    off = (context - right.context).abs()
    findings.append(
        Sentence(
            "The right context differs from this one by up to {most:.4f}.",
            most=off[~off.isnan()].max().item(),
        )
        if not off.isnan().all()
        else Sentence("Every number of the context is nan.")
    )
    return Mistake(right, source, factor, weights, context, parts, assumed, tuple(findings))


def _row_sums(weights: Tensor) -> Sentence:
    sums = weights.sum(-1)
    return Sentence(
        "The row sums are between {low:.4f} and {high:.4f}. Every row should sum to 1.",
        low=sums.min().item(),
        high=sums.max().item(),
    )


def _entropy(weights: Tensor) -> float:
    """Mean entropy of the rows in nats."""
    return torch.special.entr(weights).sum(-1).mean().item()
