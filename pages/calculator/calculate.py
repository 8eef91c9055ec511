"""From a calculation's settings to its cards, as far as errors allow."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from model import HeadlightError, calculator
from model.calculator import Calculation, CalculatorSettings, CellError, Mistake
from model.calculator.matrices import head_matrices, matrices_up_to_mask, mistake_matrices
from pages.calculator.url import Calculator
from viz.cards.card import CardKind, Scale
from viz.cards.matrices import Arrays, MatrixNames, Window
from viz.cards.steps import Steps, attention_steps, with_mistake
from web.language import _, in_words

Calculate = Callable[[CalculatorSettings], Calculation]
"""Computes a calculation from its settings."""


@dataclass(frozen=True)
class Calculated:
    """The cards of a calculation (those before an error), and the error that stopped it, if any."""

    steps: Steps | None
    calculation: Calculation | None
    error: HeadlightError | None = None


def calculate(
    compute: Calculate,
    settings: CalculatorSettings,
    names: MatrixNames,
    window: Window | None = None,
    *,
    decimals: int,
    mistake: str = "none",
) -> Calculated:
    """Compute a calculation, and turn it into cards."""

    def cards(arrays: Arrays, calculation: Calculation) -> Steps:
        own = calculation.own_scale is not None
        scale = Scale(calculation.divisor, settings.scaled, settings.temperature, own, decimals)
        # Only a model's head has a window. The page shows its q, k and v nowhere else.
        return attention_steps(arrays, names, scale, window, begin=window is not None, translate=_)

    try:
        calculation = compute(settings)
    except CellError as error:
        shown = _calculated_before(compute, settings, names, error)
        if shown is None:
            return Calculated(None, None, _with_name(error, names))
        last, arrays, calculation = shown
        steps = cards(arrays, calculation)
        n_cards = [card.id for card in steps.cards].index(last) + 1
        steps = replace(steps, cards=steps.cards[:n_cards])
        return Calculated(steps, None, _with_name(error, names))
    steps = cards(head_matrices(calculation, names.head), calculation)
    if mistake == "none":
        return Calculated(steps, calculation)
    try:
        made = calculator.mistake(mistake, calculation)
    except HeadlightError as error:
        return Calculated(steps, calculation, error)
    return Calculated(_with_mistake(steps, mistake, made, names, window), calculation)


def _calculated_before(
    compute: Calculate, settings: CalculatorSettings, names: MatrixNames, error: CellError
) -> tuple[str, Arrays, Calculation] | None:
    """The last step before the error with its matrices; None if there are no scores.

    A query without visible keys fails at the mask, an invalid divisor at the scaled scores.
    """
    failed = error.place.matrix
    if failed == "masked_scores":
        calculation = compute(replace(settings, mask="none"))
        arrays = matrices_up_to_mask(calculation, names.head, settings)
        return None if arrays is None else ("mask", arrays, calculation)
    if failed == "scaled_scores":
        # The raw scores do not depend on the mask or the divisor.
        calculation = compute(replace(settings, mask="none", scaled=True, temperature=1.0))
        return "raw_scores", head_matrices(calculation, names.head), calculation
    return None


def _with_name(error: CellError, names: MatrixNames) -> CellError:
    """The error with the query's name in place of its number."""
    if error.place.matrix != "masked_scores" or error.place.row is None:
        return error
    query = f"“{names.queries[error.place.row]}”"
    return error.with_values(query=query)


def _with_mistake(
    steps: Steps, name: str, made: Mistake, names: MatrixNames, window: Window | None
) -> Steps:
    formulas = {
        "inverted_mask": r"\text{softmax}(S'),\; -\infty \;\text{where}\; M = \text{✓}",
        "wrong_axis": r"\frac{\exp(S''_{ij})}{\sum_i \exp(S''_{ij})}",
        "unscaled": r"\text{softmax}(Q K^{\top})",
        "mask_after_softmax": r"\text{softmax}(S') \circ M",
        "after_dropout": r"\text{dropout}(\text{softmax}(S''))",
    }
    symbols = {
        "inverted_mask": {"source": r"S''_{\text{✗}}"},
        "unscaled": {"source": r"S''_{\text{✗}}"},
        "mask_after_softmax": {"source": r"\text{softmax}(S')", "factor": "M"},
    }
    kinds: dict[str, CardKind] = {
        "wrong_axis": "softmax_columns",
        "mask_after_softmax": "times",
        "after_dropout": "times",
    }
    sentences = [*([made.assumed] if made.assumed else []), *made.findings]
    return with_mistake(
        steps,
        mistake_matrices(made, names.head),
        names,
        title=Calculator.mistake.names()[name],
        formula=formulas[name],
        notes=[in_words(sentence) for sentence in sentences],
        kind=kinds.get(name, "softmax"),
        symbols=symbols.get(name),
        window=window,
    )
