"""Bits of a number by its type."""

BITS = {"fp32": 32, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4}
"""bf16 takes as much as fp16. The scales of a quantised model are not counted."""
