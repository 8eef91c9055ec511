"""Questions and answers as bytes: arrays to their last bit, and no pickles.

A file of safetensors holds the arrays, and one of them is a JSON text that says what they belong
to. Nothing is made of it but the kinds that are listed here.
"""

import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load, save

from model import AttentionCapture
from model.analysis.intervention import Intervention, Outcome
from model.analysis.logit_lens import LogitLens
from model.analysis.masking import MaskedRun
from model.analysis.order import Reordered
from model.capture.stream import ResidualStream, StreamVectors
from model.capture.tokens import Keys
from model.catalogue.tasks import Decision, Span
from model.catalogue.translation import Candidate, SearchStep, Translation
from model.catalogue.writing import WrittenToken

KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        AttentionCapture, Keys, ResidualStream, StreamVectors, LogitLens, Intervention, Outcome,
        Reordered, MaskedRun, Decision, Span, Translation, WrittenToken, SearchStep, Candidate,
    )
}  # fmt: skip

TOLD = "told"
PLAIN = (bool, int, float, str)

Where = tuple[int, tuple[int, ...], tuple[int, ...], str]


def packed(value: object) -> bytes:
    """Write what :func:`unpacked` reads: plain values, collections, arrays, and the kinds.

    Raises:
        TypeError: If something in it is of no such kind.
    """
    arrays: dict[str, np.ndarray] = {}
    told = json.dumps(_tell(value, arrays, {}), separators=(",", ":"))
    arrays[TOLD] = np.frombuffer(told.encode(), np.uint8)
    return save(arrays)


def unpacked(data: bytes) -> Any:
    """Read what :func:`packed` wrote. Arrays are read-only; what was one array is one again.

    Raises:
        ValueError: If the bytes are nothing of the kind.
    """
    try:
        arrays = load(data)
        for array in arrays.values():
            array.flags.writeable = False
        return _made(json.loads(arrays[TOLD].tobytes()), arrays)
    except Exception as error:  # of safetensors, JSON, or a kind that takes other fields
        raise ValueError("These bytes are no question and no answer.") from error


def _tell(value: Any, arrays: dict[str, np.ndarray], seen: dict[Where, str]) -> Any:
    def tell(part: Any) -> Any:
        return _tell(part, arrays, seen)

    if value is None or type(value) in PLAIN:
        return value
    if isinstance(value, tuple):
        return [tell(part) for part in value]
    if isinstance(value, list):
        return {"list": [tell(part) for part in value]}
    if isinstance(value, frozenset):
        return {"set": [tell(part) for part in sorted(value)]}
    if isinstance(value, dict):
        return {"dict": [[tell(key), tell(part)] for key, part in value.items()]}
    if isinstance(value, bytes):
        return {"bytes": _kept(np.frombuffer(value, np.uint8), arrays, seen)}
    if isinstance(value, np.ndarray):
        return {"array": _kept(value, arrays, seen)}
    if isinstance(value, torch.Tensor):
        return {"tensor": _kept(value.numpy(), arrays, seen)}
    name = type(value).__name__
    if is_dataclass(value) and KINDS.get(name) is type(value):
        return {"kind": name, "of": {f.name: tell(getattr(value, f.name)) for f in fields(value)}}
    raise TypeError(f"{name} is not sent")


def _kept(array: np.ndarray, arrays: dict[str, np.ndarray], seen: dict[Where, str]) -> str:
    """The name of an array among those that are sent: layers share a mask, and it goes once."""
    where = (array.ctypes.data, array.shape, array.strides, array.dtype.str)
    if where not in seen:
        seen[where] = str(len(seen))
        arrays[seen[where]] = np.asarray(array, order="C")
    return seen[where]


def _made(told: Any, arrays: dict[str, np.ndarray]) -> Any:
    def made(part: Any) -> Any:
        return _made(part, arrays)

    if isinstance(told, list):
        return tuple(made(part) for part in told)
    if not isinstance(told, dict):
        return told
    if "kind" in told:
        return KINDS[told["kind"]](**{name: made(part) for name, part in told["of"].items()})
    ((form, held),) = told.items()
    match form:
        case "list":
            return [made(part) for part in held]
        case "set":
            return frozenset(made(part) for part in held)
        case "dict":
            return {made(key): made(part) for key, part in held}
        case "bytes":
            return arrays[held].tobytes()
        case "array":
            return arrays[held]
        case "tensor":
            return torch.tensor(arrays[held])  # a copy: tensors know no read-only
    raise ValueError(form)
