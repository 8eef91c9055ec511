"""A GGUF file's settings and tensors, by the format's definition (ggml-org, "GGUF", version 3).

``gguf`` has a reader as well. It cuts an array for each of the hundred thousand strings of a
vocabulary and takes two to ten seconds over it, where this takes a tenth of one; the arithmetic of
the blocks is left to it. Only a file whose hash was checked comes here.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quant_shape_to_byte_shape

STRING, ARRAY = 8, 9
SCALARS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
"""What GGUF numbers the types of its settings, and what ``struct`` calls them."""

ALIGNMENT = 32
"""Bytes at whose multiples the tensors begin, unless a setting says otherwise."""


@dataclass(frozen=True)
class GgufFile:
    """A file that was read.

    Attributes:
        settings: By name: numbers, texts, or lists of one of these.
        tensors: By name, float32, axes as torch has them (outputs, inputs).
    """

    settings: dict[str, Any]
    tensors: dict[str, np.ndarray]


class _Reader:
    """Goes through the bytes of a file, one item after another."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def scalar(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self.content, self.place)
        self.place += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> str:
        length = self.scalar("Q")
        self.place += length
        return self.content[self.place - length : self.place].decode("utf-8")

    def value(self, type_: int) -> Any:
        if type_ == STRING:
            return self.text()
        if type_ == ARRAY:
            type_, length = self.scalar("I"), self.scalar("Q")
            return [self.value(type_) for _ in range(length)]
        return self.scalar(SCALARS[type_])


def read(path: Path) -> GgufFile:
    """Read a file, every tensor turned into numbers of 32 bits."""
    reader = _Reader(path.read_bytes())
    _magic, _version = reader.scalar("4s"), reader.scalar("I")
    n_tensors, n_settings = reader.scalar("Q"), reader.scalar("Q")
    settings = {reader.text(): reader.value(reader.scalar("I")) for _ in range(n_settings)}
    outlines = list(_outlines(reader, n_tensors))
    alignment = settings.get("general.alignment", ALIGNMENT)
    start = -(-reader.place // alignment) * alignment  # the next multiple
    tensors = {
        name: _numbers(reader.content, shape, type_, start + offset)
        for name, shape, type_, offset in outlines
    }
    return GgufFile(settings, tensors)


def _outlines(
    reader: _Reader, n_tensors: int
) -> Iterator[tuple[str, tuple[int, ...], GGMLQuantizationType, int]]:
    """Name, shape, type and place of each tensor. GGUF names the axis that runs fastest first."""
    for _ in range(n_tensors):
        name, n_axes = reader.text(), reader.scalar("I")
        shape = tuple(reversed([reader.scalar("Q") for _ in range(n_axes)]))
        yield name, shape, GGMLQuantizationType(reader.scalar("I")), reader.scalar("Q")


def _numbers(
    content: bytes, shape: tuple[int, ...], type_: GGMLQuantizationType, place: int
) -> np.ndarray:
    if type_ == GGMLQuantizationType.F32:
        # A copy: the file's own bytes would be kept for it.
        return np.frombuffer(content, np.float32, prod(shape), place).reshape(shape).copy()
    in_bytes = quant_shape_to_byte_shape(shape, type_)
    blocks = np.frombuffer(content, np.uint8, prod(in_bytes), place).reshape(in_bytes)
    return dequantize(blocks, type_)
