"""Wire format of requests and results: exact arrays, no pickles.

A safetensors file holds the arrays. One of them is a JSON text with the structure of the value.
Unpacking creates instances of the listed dataclasses only.
"""

import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load, save

from model import AttentionCapture
from model.analysis.grammar.relations import RelationCounts, Tally
from model.analysis.intervention import Intervention, Outcome
from model.analysis.logit_lens import LogitLens
from model.analysis.masking import MaskedRun
from model.analysis.order import Reordered
from model.capture.residual_stream import ResidualStream, StreamVectors
from model.capture.tokens import Keys
from model.catalogue.tasks import Decision, Span
from model.catalogue.translation import Translation
from model.transformer.beam import BeamStep, Hypothesis
from model.transformer.generation import GeneratedToken

DATACLASSES: dict[str, type[Any]] = {
    each.__name__: each
    for each in (
        AttentionCapture, Keys, ResidualStream, StreamVectors, LogitLens, Intervention, Outcome,
        Reordered, MaskedRun, Decision, Span, Translation, GeneratedToken, BeamStep, Hypothesis,
        RelationCounts, Tally,
    )
}  # fmt: skip

STRUCTURE = "structure"
PLAIN_TYPES = (bool, int, float, str)

ArrayIdentity = tuple[int, tuple[int, ...], tuple[int, ...], str]


def pack(value: object) -> bytes:
    """Serialise plain values, collections, arrays, tensors and the listed dataclasses.

    Raises:
        TypeError: If the value contains another type.
    """
    arrays: dict[str, np.ndarray] = {}
    structure = json.dumps(_encode(value, arrays, {}), separators=(",", ":"))
    arrays[STRUCTURE] = np.frombuffer(structure.encode(), np.uint8)
    return save(arrays)


def unpack(data: bytes) -> Any:
    """Deserialise the output of :func:`pack`. Arrays are read-only; shared arrays stay shared.

    Raises:
        ValueError: If the bytes are not such output.
    """
    try:
        arrays = load(data)
        for array in arrays.values():
            array.flags.writeable = False
        return _decode(json.loads(arrays[STRUCTURE].tobytes()), arrays)
    except Exception as error:  # from safetensors, JSON, or a dataclass with other fields
        raise ValueError("These bytes are not in the wire format.") from error


def _encode(value: Any, arrays: dict[str, np.ndarray], seen: dict[ArrayIdentity, str]) -> Any:
    def encode(part: Any) -> Any:
        return _encode(part, arrays, seen)

    if value is None or type(value) in PLAIN_TYPES:
        return value
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    if isinstance(value, list):
        return {"list": [encode(part) for part in value]}
    if isinstance(value, frozenset):
        return {"set": [encode(part) for part in sorted(value)]}
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(part)] for key, part in value.items()]}
    if isinstance(value, bytes):
        return {"bytes": _add_array(np.frombuffer(value, np.uint8), arrays, seen)}
    if isinstance(value, np.ndarray):
        return {"array": _add_array(value, arrays, seen)}
    if isinstance(value, torch.Tensor):
        return {"tensor": _add_array(value.numpy(), arrays, seen)}
    name = type(value).__name__
    if is_dataclass(value) and DATACLASSES.get(name) is type(value):
        return {"kind": name, "of": {f.name: encode(getattr(value, f.name)) for f in fields(value)}}
    raise TypeError(f"{name} cannot be sent")


def _add_array(
    array: np.ndarray, arrays: dict[str, np.ndarray], seen: dict[ArrayIdentity, str]
) -> str:
    """Name of an array in the file; an array that layers share, such as a mask, is stored once."""
    identity = (array.ctypes.data, array.shape, array.strides, array.dtype.str)
    if identity not in seen:
        seen[identity] = str(len(seen))
        arrays[seen[identity]] = np.asarray(array, order="C")
    return seen[identity]


def _decode(structure: Any, arrays: dict[str, np.ndarray]) -> Any:
    def decode(part: Any) -> Any:
        return _decode(part, arrays)

    if isinstance(structure, list):
        return tuple(decode(part) for part in structure)
    if not isinstance(structure, dict):
        return structure
    if "kind" in structure:
        values = {name: decode(part) for name, part in structure["of"].items()}
        return DATACLASSES[structure["kind"]](**values)
    ((form, held),) = structure.items()
    match form:
        case "list":
            return [decode(part) for part in held]
        case "set":
            return frozenset(decode(part) for part in held)
        case "dict":
            return {decode(key): decode(part) for key, part in held}
        case "bytes":
            return arrays[held].tobytes()
        case "array":
            return arrays[held]
        case "tensor":
            return torch.tensor(arrays[held])  # a copy: a tensor cannot be read-only
    raise ValueError(form)
