"""Attention step by step, on typed numbers or on a captured head.

All steps are float64 results of the encoder's own ``scaled_dot_product_attention``.
"""

from model.calculator.cells import MAX_SIZE, CellAddress, CellError, numbers
from model.calculator.mistakes import MISTAKES, Mistake, mistake
from model.calculator.presets import PRESETS, Preset
from model.calculator.settings import CalculatorSettings
from model.calculator.steps import Calculation, from_projections, from_qkv

__all__ = [
    "MAX_SIZE",
    "MISTAKES",
    "PRESETS",
    "Calculation",
    "CalculatorSettings",
    "CellAddress",
    "CellError",
    "Mistake",
    "Preset",
    "from_projections",
    "from_qkv",
    "mistake",
    "numbers",
]  # fmt: skip
