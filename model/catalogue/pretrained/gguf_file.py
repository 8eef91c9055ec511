"""Reader of GGUF files, after the format's definition (ggml-org, "GGUF", version 3).

The reader of the ``gguf`` package takes two to ten seconds, because it makes an array for each
string of a vocabulary. This one takes a tenth of a second. ``gguf`` still decodes the quantised
blocks. Callers must check the hash of a file before they read it here.
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
"""Scalar types of GGUF by number, as format characters of ``struct``."""

ALIGNMENT = 32
"""Alignment of the tensors in bytes, unless a setting gives another."""


@dataclass(frozen=True)
class GgufFile:
    """Contents of a file.

    Attributes:
        settings: Numbers, texts, or lists of one of these, by name.
        tensors: Arrays by name, float32, axes in the order of torch (outputs, inputs).
    """

    settings: dict[str, Any]
    tensors: dict[str, np.ndarray]


class _Reader:
    """Cursor over the bytes of a file."""

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
    """Read a file, with every tensor decoded to 32 bits.

    Args:
        path: Path of the file.
    """
    reader = _Reader(path.read_bytes())
    _magic, _version = reader.scalar("4s"), reader.scalar("I")
    n_tensors, n_settings = reader.scalar("Q"), reader.scalar("Q")
    settings = {reader.text(): reader.value(reader.scalar("I")) for _ in range(n_settings)}
    headers = list(_tensor_headers(reader, n_tensors))
    alignment = settings.get("general.alignment", ALIGNMENT)
    start = -(-reader.place // alignment) * alignment  # the next multiple
    tensors = {
        name: _decode(reader.content, shape, type_, start + offset)
        for name, shape, type_, offset in headers
    }
    return GgufFile(settings, tensors)


def _tensor_headers(
    reader: _Reader, n_tensors: int
) -> Iterator[tuple[str, tuple[int, ...], GGMLQuantizationType, int]]:
    """Name, shape, type and offset of each tensor. GGUF lists the fastest axis first."""
    for _ in range(n_tensors):
        name, n_axes = reader.text(), reader.scalar("I")
        shape = tuple(reversed([reader.scalar("Q") for _ in range(n_axes)]))
        yield name, shape, GGMLQuantizationType(reader.scalar("I")), reader.scalar("Q")


def _decode(
    content: bytes, shape: tuple[int, ...], type_: GGMLQuantizationType, place: int
) -> np.ndarray:
    if type_ == GGMLQuantizationType.F32:
        flat = np.frombuffer(content, np.float32, prod(shape), place)
        # A view would keep the whole file in memory. (outputs * inputs,) -> (outputs, inputs)
        return flat.reshape(shape).copy()
    in_bytes = quant_shape_to_byte_shape(shape, type_)
    flat_blocks = np.frombuffer(content, np.uint8, prod(in_bytes), place)
    # (outputs * bytes of a row,) -> (outputs, bytes of a row)
    return dequantize(flat_blocks.reshape(in_bytes), type_)
