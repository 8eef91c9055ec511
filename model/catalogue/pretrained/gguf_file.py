"""Reader of GGUF files, after the format's definition (ggml-org, "GGUF", versions 2 and 3).

The reader of the ``gguf`` package takes two to ten seconds, because it makes an array for each
string of a vocabulary; this one a tenth of a second. ``gguf`` still decodes the quantised blocks. A
file is not trusted: every length and offset is compared with its size before anything is allocated.
"""

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quant_shape_to_byte_shape

from model.errors import HeadlightError

MAGIC, VERSIONS = b"GGUF", (2, 3)

STRING, ARRAY = 8, 9
SCALARS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
"""Scalar types of GGUF by number, as format characters of ``struct``."""

ALIGNMENT = 32
"""Alignment of the tensors in bytes, unless a setting gives another."""

MOST_HEADER = 64 * 1024**2
"""Most bytes before the tensors; those of Llama 3, with 128,256 tokens, have 8 MB."""

MOST_AXES = 4
"""Most axes of a tensor, by the format's definition."""

UNQUANTISED = ("F32", "F16", "BF16")


@dataclass(frozen=True)
class GgufTensor:
    """A tensor in a file.

    Attributes:
        shape: Its axes in the order of torch (outputs, inputs).
        blocks: Its bytes in the file: a view, (outputs, bytes of a row).
    """

    shape: tuple[int, ...]
    type_: GGMLQuantizationType
    blocks: np.ndarray

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return prod(self.shape)

    def decode(self) -> np.ndarray:
        """Decode to float32 numbers, a copy of the file's."""
        # (outputs, bytes of a row) -> (outputs, inputs)
        return np.array(dequantize(self.blocks, self.type_), dtype=np.float32)


@dataclass(frozen=True)
class GgufFile:
    """Contents of a file: settings are numbers, texts, or lists of one of these."""

    settings: dict[str, Any]
    tensors: dict[str, GgufTensor]

    @property
    def n_weights(self) -> int:
        """Number of weights in all tensors."""
        return sum(tensor.n_weights for tensor in self.tensors.values())

    @property
    def quantisation(self) -> str:
        """Type of most quantised weights, such as ``Q4_1``; "" if none are quantised."""
        counts: dict[str, int] = {}
        for tensor in self.tensors.values():
            counts[tensor.type_.name] = counts.get(tensor.type_.name, 0) + tensor.n_weights
        quantised = set(counts).difference(UNQUANTISED)
        return max(quantised, key=lambda type_: counts[type_], default="")


class _Reader:
    """Cursor over the header of a file."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.place = 0

    def take(self, n_bytes: int) -> int:
        """Move behind the next bytes and return where they begin."""
        place, self.place = self.place, self.place + n_bytes
        if self.place > min(len(self.content), MOST_HEADER):
            raise ValueError(f"{n_bytes} bytes at {place}")
        return place

    def scalar(self, kind: str) -> Any:
        return self.scalars(kind, 1)[0]

    def scalars(self, kind: str, count: int) -> tuple[Any, ...]:
        place = self.take(count * struct.calcsize(f"<{kind}"))  # before count reaches struct
        return struct.unpack_from(f"<{count}{kind}", self.content, place)

    def text(self) -> str:
        length = self.scalar("Q")
        place = self.take(length)
        return self.content[place : place + length].decode("utf-8")

    def value(self, type_: int) -> Any:
        if type_ == STRING:
            return self.text()
        if type_ != ARRAY:
            return self.scalar(SCALARS[type_])
        type_, length = self.scalar("I"), self.scalar("Q")
        if type_ in SCALARS:
            return list(self.scalars(SCALARS[type_], length))
        return [self.value(type_) for _ in range(length)]


def read(name: str, path: Path) -> GgufFile:
    """Read the header of a file and find its tensors; HeadlightError if it is damaged."""
    try:
        with path.open("rb") as file:
            # The tensors keep the mapping open.
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _read(content)
    except Exception as error:  # cut off, not text, unknown types, lengths of any size
        raise HeadlightError(
            "Headlight cannot read the GGUF file of {name}. It is damaged, or in another format. "
            "Fetch it again.",
            name=name,
        ) from error


def _read(content: mmap.mmap) -> GgufFile:
    reader = _Reader(content)
    magic, version = content[reader.take(len(MAGIC)) : reader.place], reader.scalar("I")
    if magic != MAGIC or version not in VERSIONS:
        raise ValueError(f"{magic!r}, version {version}")
    n_tensors, n_settings = reader.scalar("Q"), reader.scalar("Q")
    settings = {reader.text(): reader.value(reader.scalar("I")) for _ in range(n_settings)}
    headers = [_tensor_header(reader) for _ in range(n_tensors)]
    alignment = settings.get("general.alignment", ALIGNMENT)
    start = -(-reader.place // alignment) * alignment  # the next multiple
    tensors = {}
    for name, shape, type_, offset in headers:
        in_bytes = quant_shape_to_byte_shape(shape, type_)
        flat = np.frombuffer(content, np.uint8, prod(in_bytes), start + offset)
        # (outputs * bytes of a row,) -> (outputs, bytes of a row)
        tensors[name] = GgufTensor(shape, type_, flat.reshape(in_bytes))
    return GgufFile(settings, tensors)


def _tensor_header(reader: _Reader) -> tuple[str, tuple[int, ...], GGMLQuantizationType, int]:
    """Name, shape, type and offset of a tensor. GGUF lists the fastest axis first."""
    name, n_axes = reader.text(), reader.scalar("I")
    if not 1 <= n_axes <= MOST_AXES:
        raise ValueError(f"{n_axes} axes")
    shape = tuple(reversed(reader.scalars("Q", n_axes)))
    return name, shape, GGMLQuantizationType(reader.scalar("I")), reader.scalar("Q")
