"""Texts in figures: token labels, distinct and free of markup, and numbers."""

import math
from collections import Counter
from collections.abc import Sequence
from html import escape

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def distinct(tokens: Sequence[str]) -> list[str]:
    """Number repeated tokens (The₁, the₂), alike in models with and without capitals.

    Plotly draws equal category names as one row.
    """
    total = Counter(token.casefold() for token in tokens)
    seen: Counter[str] = Counter()
    labels: list[str] = []
    taken = {token for token in tokens if total[token.casefold()] == 1}
    for token in tokens:
        label = token
        if total[token.casefold()] > 1:
            seen[token.casefold()] += 1
            label = token + str(seen[token.casefold()]).translate(_SUBSCRIPTS)
            while label in taken:  # another token already has this label
                label += "′"
            taken.add(label)
        labels.append(label)
    return labels


def literal(text: str) -> str:
    """Escape text for Plotly, which interprets <b>, <a> and &amp; as markup."""
    return escape(text, quote=False)


def number(value: float, form: str) -> str:
    """Write a number for the screen, with the minus sign of Plotly's axes in place of a hyphen."""
    return format(value, form).replace("-", "−")


def decimals(top: float) -> int:
    """Decimals of all numbers in a picture, of which ``top`` is the largest: three digits of it."""
    return 2 if top < 10 else 1 if top < 100 else 0


def shortened(text: str, limit: int = 60) -> str:
    """Cut a sentence for a caption. A cut sentence ends in "…"."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def percent(probability: float) -> str:
    """A probability with two significant digits, or with one of its distance from 100 %.

    So candidates differ: 99.998%, 0.00038%, 0.00023%.
    """
    kept = 2 if probability < 0.5 else 1
    nearest = float(f"{100 * min(probability, 1 - probability):.{kept}g}")
    if not 0 < nearest < 10:
        return f"{100 * probability:.0f}%"
    if probability < 1e-11:
        return f"{100 * probability:.1e}%"
    return f"{100 * probability:.{kept - 1 - math.floor(math.log10(nearest))}f}%"
