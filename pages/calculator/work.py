"""A calculation from its settings to the cards that show it, as far as it goes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from model import HeadlightError, calculator
from model.calculator import Calculation, CellError, Mistake, Settings
from model.calculator.matrices import head_matrices, matrices_to_the_mask, mistake_matrices
from pages.calculator.controls import mistake_names
from pages.shared.language import _, in_words
from viz.cards.card import Kind, Scale
from viz.cards.matrices import Arrays, Names, Window
from viz.cards.steps import Steps, attention_steps, with_mistake

Work = Callable[[Settings], Calculation]
"""A calculation that still wants its settings."""


@dataclass(frozen=True)
class Worked:
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
    mistake: str = "none",
) -> Worked:
    """Work a calculation out, and turn it into cards as far as it goes.

    Args:
        work: From settings to the calculation.
        settings: Scaling and mask.
        names: Of tokens and heads.
        window: What of it to draw.
        mistake: A classic mistake to show beside it, or "none".
    """
    try:
        calculation = work(settings)
    except CellError as error:
        return Worked(_so_far(work, settings, names, window, error), None, _named(error, names))
    arrays = head_matrices(calculation, names.head)
    steps = _cards(arrays, calculation, settings, names, window)
    if mistake == "none":
        return Worked(steps, calculation)
    try:
        made = calculator.mistake(mistake, calculation)
    except HeadlightError as error:
        return Worked(steps, calculation, error)
    return Worked(_with_mistake(steps, mistake, made, names, window), calculation)


def _cards(
    arrays: Arrays,
    calculation: Calculation,
    settings: Settings,
    names: Names,
    window: Window | None,
) -> Steps:
    own = calculation.own_scale is not None
    scale = Scale(calculation.divisor, settings.scaled, settings.temperature, own)
    # What is seen through a window was typed nowhere on the page: it begins with q, k and v.
    return attention_steps(arrays, names, scale, window, begin=window is not None, translate=_)


def _so_far(
    work: Work, settings: Settings, names: Names, window: Window | None, error: CellError
) -> Steps | None:
    """The steps before the one at which a calculation stops, where it got as far as scores.

    A query that sees nothing stops it at the mask, a divisor that does not divide before it.
    """
    stops = error.place.matrix
    if stops == "masked_scores":
        worked = work(replace(settings, mask="none"))
        arrays = matrices_to_the_mask(worked, names.head, settings)
        last = "mask"
    elif stops == "scaled_scores":
        # Nothing that is shown of this depends on either.
        worked = work(replace(settings, mask="none", scaled=True, temperature=1.0))
        arrays = head_matrices(worked, names.head)
        last = "raw_scores"
    else:
        return None
    if arrays is None:
        return None
    steps = _cards(arrays, worked, settings, names, window)
    n_cards = [card.id for card in steps.cards].index(last) + 1
    return replace(steps, cards=steps.cards[:n_cards])


def _named(error: CellError, names: Names) -> CellError:
    """The same error, of a query that goes by its name where the message would number it."""
    if error.place.matrix != "masked_scores" or error.place.row is None:
        return error
    query = f"“{names.queries[error.place.row]}”"
    return error.saying(query=query)


def _with_mistake(
    steps: Steps, name: str, made: Mistake, names: Names, window: Window | None
) -> Steps:
    formulas = {
        "inverted_mask": r"\text{softmax}(S'),\; -\infty \;\text{where}\; M = \text{✓}",
        "wrong_axis": r"\frac{e^{S''_{ij}}}{\sum_i e^{S''_{ij}}}",
        "unscaled": r"\text{softmax}(Q K^{\top})",
        "mask_after_softmax": r"\text{softmax}(S') \circ M",
        "after_dropout": r"\text{dropout}(\text{softmax}(S''))",
    }
    symbols = {
        "inverted_mask": {"source": r"S''_{\text{✗}}"},
        "unscaled": {"source": r"S''_{\text{✗}}"},
        "mask_after_softmax": {"source": r"\text{softmax}(S')", "factor": "M"},
    }
    kinds: dict[str, Kind] = {
        "wrong_axis": "softmax_columns",
        "mask_after_softmax": "times",
        "after_dropout": "times",
    }
    said = [*([made.assumed] if made.assumed else []), *made.findings]
    return with_mistake(
        steps,
        mistake_matrices(made, names.head),
        names,
        title=mistake_names()[name],
        formula=formulas[name],
        notes=[in_words(sentence) for sentence in said],
        kind=kinds.get(name, "softmax"),
        symbols=symbols.get(name),
        window=window,
    )
