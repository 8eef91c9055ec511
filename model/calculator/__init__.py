"""The calculator: attention step by step on numbers that a person chose.

Everything is computed in float64 by ``scaled_dot_product_attention`` of
:mod:`model.transformer.attention`, the function that the encoder runs.
"""

from model.calculator.cells import MAX_SIZE, CellError, Place, numbers
from model.calculator.mistakes import MISTAKES, Mistake, mistake
from model.calculator.presets import PRESETS, Example
from model.calculator.settings import Settings
from model.calculator.steps import Calculation, from_projections, from_qkv

__all__ = [
    "MAX_SIZE",
    "MISTAKES",
    "PRESETS",
    "Calculation",
    "CellError",
    "Example",
    "Mistake",
    "Place",
    "Settings",
    "from_projections",
    "from_qkv",
    "mistake",
    "numbers",
]
