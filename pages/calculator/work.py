"""A calculation from its settings to the cards that show it, as far as it goes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from model import HeadlightError
from model.calculator import Calculation, CellError, Mistake, Settings, mistake
from pages.calculator.controls import mistake_names
from pages.shared.language import _, in_words
from viz.cards.steps import Kind, Names, Scale, Steps, Window, attention_steps, with_mistake

Work = Callable[[Settings], Calculation]
"""A calculation that still wants its settings."""


@dataclass(frozen=True)
class Shown:
    """A calculation as far as it can be worked out, and what is in the way of the rest.

    Attributes:
        steps: The cards; None if there is not even a first one.
        calculation: None if something is in the way.
        said: What is in the way, or only of a mistake to be shown.
    """

    steps: Steps | None
    calculation: Calculation | None
    said: HeadlightError | None = None


def work_out(
    work: Work,
    settings: Settings,
    names: Names,
    window: Window | None = None,
    *,
    slip: str = "none",
) -> Shown:
    """Work a calculation out, and turn it into cards as far as it goes.

    Args:
        work: From settings to the calculation.
        settings: Scaling and mask.
        names: Of tokens and heads.
        window: What of it to draw.
        slip: A classic mistake to show beside it, or "none".
    """
    try:
        calculation = work(settings)
    except CellError as error:
        return Shown(_up_to_the_mask(work, settings, names, window, error), None, error)
    scale = Scale(calculation.divisor, settings.scaled, settings.temperature)
    steps = attention_steps(
        arrays(calculation, names.head), names, scale, window, begin=window is not None, translate=_
    )
    if slip == "none":
        return Shown(steps, calculation)
    try:
        made = mistake(slip, calculation)
    except HeadlightError as error:
        return Shown(steps, calculation, error)
    return Shown(_with_slip(steps, slip, made, names, window), calculation)


def _up_to_the_mask(
    work: Work, settings: Settings, names: Names, window: Window | None, error: CellError
) -> Steps | None:
    """A query that sees nothing stops the calculation at the mask; the steps before it stand."""
    if error.place.matrix != "masked":
        return None
    calculation = work(replace(settings, mask="none"))
    given = arrays(calculation, names.head)
    allowed = settings.allowed(len(names.queries), len(names.keys))
    if allowed is None:
        return None
    given["allowed"] = given["allowed"] & allowed.numpy()  # the model's own mask, and the reader's
    given["masked"] = np.where(given["allowed"], given["scaled"], -np.inf)
    scale = Scale(calculation.divisor, settings.scaled, settings.temperature)
    steps = attention_steps(given, names, scale, window, begin=window is not None, translate=_)
    last = [card.id for card in steps.cards].index("mask")
    return replace(steps, cards=steps.cards[: last + 1])


def arrays(calculation: Calculation, head: int) -> dict[str, np.ndarray]:
    """The matrices of one head of a calculation, by the names that the cards give them."""
    steps, n_tokens = calculation.steps, calculation.q.shape[-2]
    masked = steps.masked_scores[head]
    matrices = {
        "Q": calculation.q[head],
        "K": calculation.k[head],
        "V": calculation.v[head],
        "scores": steps.raw_scores[head],
        "scaled": steps.scaled_scores[head],
        "masked": masked,
        "maxima": masked.amax(-1, keepdim=True),
        "exponentials": calculation.exponentials[head],
        "row_sums": calculation.row_sums[head, :, None],
        "weights": steps.weights[head],
        "output": steps.output[head],
    }
    if calculation.n_heads > 1:
        matrices["joined"] = calculation.concatenated
    given = {
        "X": calculation.x,
        "W_Q": calculation.w_q,
        "W_K": calculation.w_k,
        "W_V": calculation.w_v,
        "W_O": calculation.w_o,
    }
    matrices |= {name: matrix for name, matrix in given.items() if matrix is not None}
    if calculation.x is not None:
        for name in "QKV":
            heads = {"Q": calculation.q, "K": calculation.k, "V": calculation.v}[name]
            # (H, T, K) -> (T, H, K) -> (T, H*K)
            matrices[f"{name}_heads"] = heads.transpose(0, 1).reshape(n_tokens, -1)
    if calculation.w_o is not None:
        matrices["Y"] = calculation.output
    found = {name: matrix.numpy() for name, matrix in matrices.items()}
    allowed = calculation.allowed
    everything = np.ones(found["scores"].shape, dtype=bool)
    return {**found, "allowed": everything if allowed is None else allowed.numpy()}


def _with_slip(
    steps: Steps, name: str, made: Mistake, names: Names, window: Window | None
) -> Steps:
    formulas = {
        "inverted_mask": r"\text{softmax}(S'),\; -\infty \;\text{where}\; M = \text{✓}",
        "wrong_axis": r"\frac{e^{S''_{ij}}}{\sum_i e^{S''_{ij}}}",
        "unscaled": r"\text{softmax}(Q K^{\top})",
        "mask_after_softmax": r"\text{softmax}(S') \circ M",
        "after_dropout": r"\text{dropout}(\text{softmax}(S''))",
    }
    kinds: dict[str, Kind] = {
        "wrong_axis": "softmax_columns",
        "mask_after_softmax": "times",
        "after_dropout": "times",
    }
    found = {"source": made.source, "wrong": made.weights, "wrong_output": made.output}
    if made.factor is not None:
        found["factor"] = made.factor
    said = [*([made.assumed] if made.assumed else []), *made.findings]
    return with_mistake(
        steps,
        {key: tensor[names.head].numpy() for key, tensor in found.items()},
        names,
        title=mistake_names()[name],
        formula=formulas[name],
        notes=[in_words(sentence) for sentence in said],
        kind=kinds.get(name, "softmax"),
        window=window,
    )
