"""Diagnosis of a slip: the rule that a wrong cell breaks, and the likely cause.

Axes: Tq queries, Tk keys, Kv d_v of the values. Rows and columns count from 0.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from model.calculator.practice.exercise import STEPS, Slip, Step
from model.calculator.practice.problem import Problem
from model.errors import Sentence


def find_slip(
    problem: Problem,
    step: Step,
    cell: tuple[int, int],
    read: Mapping[Step, Tensor],
    near: float,
) -> Slip:
    """Name the rule for a wrong cell, and what was probably done instead.

    Args:
        problem: The problem to solve.
        step: The first step with a wrong cell.
        cell: Row and column of its first wrong cell.
        read: The numbers filled in, by step: (Tq, Tk) or (Tq, Kv), nan where there is none.
        near: How far a number may be off.
    """
    return Slip(
        step, *cell, rule=_rule(problem, step, *cell), guess=_guess(problem, step, read, near)
    )


def _rule(problem: Problem, step: Step, row: int, column: int) -> Sentence:
    calculation = problem.calculation()
    where = {"row": row, "column": column}
    if step == "scaled_scores":
        return Sentence(
            "Multiply row {row} of Q by row {column} of K, then divide by {divisor:.4g}.",
            divisor=calculation.divisor,
            **where,
        )
    if step == "context":
        return Sentence("Multiply row {row} of the weights by column {column} of V.", **where)
    if calculation.allowed is None:
        return Sentence(
            "Divide e^score of column {column} by the sum of e^score over row {row}.",
            **where,
        )
    return Sentence(
        "Divide e^score of column {column} by the sum of e^score over row {row}. A masked score "
        "is minus infinity.",
        **where,
    )


# -- likely causes: the step, worked out in every wrong way that is known --------------------------

_WrongAnswers = Iterator[tuple[Sentence, Tensor]]


def _guess(
    problem: Problem, step: Step, read: Mapping[Step, Tensor], near: float
) -> Sentence | None:
    """The first cause that explains every filled cell, and at least one wrong cell."""
    answer, true = read[step], problem.true(step)
    filled = ~answer.isnan()
    for sentence, wrong in _wrong_answers(problem, step, read):
        if wrong.shape == answer.shape:
            fits = ((wrong - answer).abs() <= near)[filled].all()
            if fits and ((wrong - true).abs() > near)[filled].any():
                return sentence
    return None


def _wrong_answers(problem: Problem, step: Step, read: Mapping[Step, Tensor]) -> _WrongAnswers:
    true = {name: problem.true(name) for name in STEPS}
    # The person may have continued from their own rounded numbers, or from exact ones.
    filled_in = {
        name: torch.where(cells.isnan(), true[name], cells) for name, cells in read.items()
    }
    for before in ({**true, **filled_in}, true):
        if step == "weights":
            yield from _wrong_weights(problem, before["scaled_scores"])
        elif step == "context":
            yield from _wrong_contexts(problem, before["scaled_scores"], before["weights"])
    for sentence, other in _wrong_problems(problem):
        yield sentence, other.true(step)


def _wrong_problems(problem: Problem) -> Iterator[tuple[Sentence, Problem]]:
    """Causes that solve another problem correctly; they can appear at any step."""

    def with_settings(**changes: Any) -> Problem:
        return replace(problem, settings=replace(problem.settings, **changes))

    d_k, temperature = problem.q.shape[1], problem.settings.temperature
    cause = Sentence("It looks as if the division by √d_k is missing (d_k = {d_k}).", d_k=d_k)
    yield cause, with_settings(scaled=False)
    cause = Sentence("It looks as if you divided by d_k = {d_k}, not by its square root.", d_k=d_k)
    yield cause, with_settings(scaled=False, temperature=temperature * d_k)
    cause = Sentence("It looks as if the temperature {t:g} is missing.", t=temperature)
    yield cause, with_settings(temperature=1.0)
    cause = Sentence("It looks as if you did not divide the product of Q and K.")
    yield cause, with_settings(scaled=False, temperature=1.0)
    cause = Sentence("It looks as if the mask is missing.")
    yield cause, with_settings(mask="none")
    if problem.k.shape[0] == d_k:  # otherwise the product q @ k does not exist
        cause = Sentence("It looks as if you multiplied Q by K. Multiply it by K transposed.")
        yield cause, replace(problem, k=problem.k.T)  # (Tk, K) -> (K, Tk), equal sizes


def _wrong_weights(problem: Problem, scaled_scores: Tensor) -> _WrongAnswers:
    allowed = problem.calculation().allowed
    masked_scores = (
        scaled_scores if allowed is None else scaled_scores.masked_fill(~allowed, -math.inf)
    )
    if allowed is not None:
        cause = Sentence("It looks as if you applied the mask after the softmax.")
        yield cause, scaled_scores.softmax(-1) * allowed
        cause = Sentence("It looks as if the mask is inverted.")
        # (Tq, Tk) -> (Tk, Tq): a causal mask can be inverted or transposed
        inverted = (~allowed, allowed.T) if problem.settings.mask == "causal" else (~allowed,)
        for visible in inverted:
            # 0/0 = nan for a query without keys; a person would write 0.
            yield cause, scaled_scores.masked_fill(~visible, -math.inf).softmax(-1).nan_to_num(0.0)
    cause = Sentence("It looks as if your softmax goes down the columns. It goes along each row.")
    yield cause, masked_scores.softmax(-2).nan_to_num(0.0)  # nan if no query sees the key
    cause = Sentence("It looks as if you did not divide e^score by the sum of its row.")
    yield cause, masked_scores.exp()
    yield cause, (masked_scores - masked_scores.amax(-1, keepdim=True)).exp()
    cause = Sentence("It looks as if you divided the scores by their sum. Calculate e^score first.")
    visible = scaled_scores if allowed is None else scaled_scores * allowed
    yield cause, visible / visible.sum(-1, keepdim=True)


def _wrong_contexts(problem: Problem, scaled_scores: Tensor, weights: Tensor) -> _WrongAnswers:
    # Exact weights give the true context, which `_guess` rejects; rounded ones may not.
    cause = Sentence("Your rounded weights give this number. Use more decimals.")
    yield cause, weights @ problem.v
    if weights.shape[0] == weights.shape[1]:
        cause = Sentence("It looks as if you transposed the weights.")
        yield cause, weights.T @ problem.v  # (Tq, Tk) -> (Tk, Tq), equal sizes
    if problem.v.shape[0] == problem.v.shape[1]:
        cause = Sentence("It looks as if you transposed V.")
        yield cause, weights @ problem.v.T  # (Tk, Kv) -> (Kv, Tk), equal sizes
    cause = Sentence("It looks as if you multiplied V by the scores. Use the weights.")
    yield cause, scaled_scores @ problem.v
    raw_scores = problem.calculation().steps.raw_scores[0]  # (H = 1, Tq, Tk) -> (Tq, Tk)
    yield cause, raw_scores @ problem.v
