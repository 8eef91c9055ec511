"""Formulas as MathML, which every current browser renders on screen and in print."""

from functools import lru_cache

from latex2mathml.converter import convert


@lru_cache(maxsize=512)
def mathml(latex: str) -> str:
    """Convert a LaTeX formula to MathML; of constants and numbers only, never user text."""
    return convert(latex)
