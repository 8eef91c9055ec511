"""Formulas as MathML, which every current browser sets by itself, on screen and on paper."""

from functools import lru_cache

from latex2mathml.converter import convert


@lru_cache(maxsize=512)
def mathml(latex: str) -> str:
    """Set a formula.

    Args:
        latex: Made of our own constants and of numbers; never of a reader's text.
    """
    return convert(latex)
