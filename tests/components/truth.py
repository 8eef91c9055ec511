"""The true numbers, computed in the tests."""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache

import numpy as np

from model import AttentionCapture, load_model

DEFAULT = "The animal didn't cross the street because it was too tired."


@cache
def truth(name: str, text: str = DEFAULT) -> AttentionCapture:
    return load_model(name).attend(text)


def two(weight: float) -> str:
    """A weight as the lens prints it: rounded to four decimals, then to two."""
    return str(Decimal(round(float(weight), 4)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def strongest(weights: np.ndarray) -> tuple[int, int, str]:
    """Query, key and weight (two decimals) of a head's strongest link, (T, T)."""
    shown = weights.astype(np.float64).round(4)  # the page names the first of equal printed weights
    query, key = np.unravel_index(shown.argmax(), shown.shape)
    return int(query), int(key), two(weights[query, key])
