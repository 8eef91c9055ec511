"""Examples for the Calculator."""

from dataclasses import dataclass, field

from model.calculator.settings import CalculatorSettings
from model.errors import Sentence

GridText = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Preset:
    """Typed numbers, and what they demonstrate.

    Attributes:
        cells: Text by matrix name: Q, K and V, or X, W_Q, W_K, W_V and perhaps W_O.
        keys: Names of the key tokens; empty if they are the queries.
    """

    title: Sentence
    story: Sentence
    cells: dict[str, GridText]
    queries: tuple[str, ...]
    keys: tuple[str, ...] = ()
    n_heads: int = 1
    settings: CalculatorSettings = field(default_factory=CalculatorSettings)


def _cells(rows: str) -> GridText:
    """Cells from text: semicolons separate rows, spaces separate numbers."""
    return tuple(tuple(row.split()) for row in rows.split(";"))


PRESETS: dict[str, Preset] = {
    "exercise": Preset(
        Sentence("Exercise 1: two tokens"),
        Sentence("Each query has a single 1, so its score with a key is one number of that key."),
        {"Q": _cells("1 0; 0 1"), "K": _cells("1 0; 0.5 0.5"), "V": _cells("2 0; 1 1")},
        queries=("dogs", "bark"),
    ),
    "masking": Preset(
        Sentence("Exercise 2: causal masking"),
        Sentence(
            "Each token sees itself and earlier ones. The first row has only one key, so its "
            "weight is always 1."
        ),
        {
            "Q": _cells("1 0 1 0; 0 1 1 0; 1 1 0 1"),
            "K": _cells("1 0 1 0; 0 2 0 0; 2 0 0 2"),
            "V": _cells("1 0; 0 2; 2 1"),
        },
        queries=("she", "reads", "books"),
        settings=CalculatorSettings(mask="causal"),
    ),
    "worked": Preset(
        Sentence("Worked example: I love learning AI"),
        Sentence(
            "The query “love” has the scores 2.1, 3.5, 7.2 and 5.8 with four keys of d_k = 64. "
            "The temperature 8 replaces the division by √64. V is the identity, so the context "
            "equals the weights: 0.1763, 0.2101, 0.3336, 0.2800."
        ),
        {
            "Q": _cells("1"),
            "K": _cells("2.1; 3.5; 7.2; 5.8"),
            "V": _cells("1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1"),
        },
        queries=("love",),
        keys=("I", "love", "learning", "AI"),
        settings=CalculatorSettings(temperature=8.0),
    ),
    "library": Preset(
        Sentence("A search in a library"),
        Sentence(
            "A reader wants cooking, science and adventure in the amounts 0, 2, 1 (the query). "
            "The cover of each book shows its topics (the key), and the inside has facts and "
            "story (the value). The result is a mixture of all values: the better the key fits, "
            "the larger its share."
        ),
        {"Q": _cells("0 2 1"), "K": _cells("2 0 0; 0 2 0; 0 1 3"), "V": _cells("3 0; 9 1; 2 8")},
        queries=("reader",),
        keys=("cookbook", "rocket book", "moon novel"),
    ),
    "saturated": Preset(
        Sentence("A saturated softmax"),
        Sentence(
            "Large vectors give scores up to 800. The largest score gets all the weight, and "
            "small changes of a score change nothing. Division by √d_k = 2 would not be enough "
            "here. Set the temperature to 200 for softer weights."
        ),
        {
            "Q": _cells("20 0 0 0; 0 20 20 0; 10 10 0 10"),
            "K": _cells("20 10 10 0; 20 20 20 0; 0 10 20 30"),
            "V": _cells("1 0; 0 1; 1 1"),
        },
        queries=("large", "larger", "largest"),
        settings=CalculatorSettings(scaled=False),
    ),
    "causal": Preset(
        Sentence("A causal mask, token by token"),
        Sentence(
            "A decoder generates one token at a time, so no token sees later ones. Click cells "
            "of the mask to allow a later key, and watch the weights change."
        ),
        {
            "Q": _cells("1 0; 1 1; 0 1; 2 1"),
            "K": _cells("0 1; 1 0; 1 1; 1 2"),
            "V": _cells("1 0; 0 1; 1 1; 2 0"),
        },
        queries=("I", "love", "learning", "AI"),
        settings=CalculatorSettings(mask="causal"),
    ),
    "heads": Preset(
        Sentence("Two heads, from X to Wᴼ"),
        Sentence(
            "d_model = 4 splits into 2 heads of 2. Head 0 compares the first half of X. Head 1 "
            "compares the second half; its queries exchange the two numbers. Wᴼ mixes their "
            "results."
        ),
        {
            "X": _cells("1 0 1 0; 0 2 0 2; 1 1 1 1"),
            "W_Q": _cells("1 0 0 0; 0 1 0 0; 0 0 0 1; 0 0 1 0"),
            "W_K": _cells("1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1"),
            "W_V": _cells("1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1"),
            "W_O": _cells("1 0 0 0; 0 1 0 0; 0.5 0 1 0; 0 0.5 0 1"),
        },
        queries=("cats", "chase", "mice"),
        n_heads=2,
    ),
}
