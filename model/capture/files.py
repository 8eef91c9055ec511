"""Captures as bytes that other programs read: NumPy's .npz, and JSON."""

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from model.capture.tokens import Keys
from model.errors import HeadlightError

if TYPE_CHECKING:  # the capture writes itself by what stands here
    from model.capture.record import AttentionCapture

_SEQUENCE = (
    "text",
    "text_pair",
    "tokens",
    "token_ids",
    "offsets",
    "word_ids",
    "segment_ids",
    "left_out",
)
"""What a file's meta data say of a sequence of tokens."""


def not_ours() -> HeadlightError:
    """What is said of a file that Headlight did not write."""
    return HeadlightError("This is not a capture that Headlight saved.")


def npz(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write arrays, and the rest as a JSON text called ``meta``."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays, meta=np.array(json.dumps(meta)))
    return file.getvalue()


def read_npz(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what :func:`npz` wrote: the meta data, and the arrays.

    Raises:
        HeadlightError: If the bytes are no such file.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return dict(json.loads(str(arrays.pop("meta")))), arrays
    except Exception as error:  # of zipfile, zlib, struct, json or NumPy
        raise not_ours() from error


def json_text(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write arrays as nested lists; every float32 with as many digits as bring it back."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    # orjson refuses half an emoji, which a notebook may hand over; Python's own escapes it.
    said = {name: orjson.Fragment(json.dumps(value)) for name, value in meta.items()}
    return orjson.dumps({**said, **whole}, option=orjson.OPT_SERIALIZE_NUMPY)


def meta_of(capture: "AttentionCapture") -> dict[str, Any]:
    """What is no array: the tokens and their text, and those of the keys if they are others'."""
    meta = {name: getattr(capture, name) for name in ("model", *_SEQUENCE, "stack", "scale")}
    if capture.other_keys is not None:
        meta |= {f"key_{name}": getattr(capture.other_keys, name) for name in _SEQUENCE}
    return meta


def arrays_of(capture: "AttentionCapture") -> dict[str, np.ndarray]:
    """A capture's arrays by name, the layers of each stacked; the mask is not among them."""
    stacked = {name: np.stack(getattr(capture, name)) for name in ("q", "k", "v")}
    arrays = {"special": capture.special, "weights": capture.weights, **stacked}
    if capture.bias is not None:
        nothing = np.zeros(capture.weights.shape[1:], capture.weights.dtype)  # (H, Tq, Tk)
        arrays["bias"] = np.stack([nothing if b is None else b for b in capture.bias])
    if capture.other_keys is not None:
        arrays["key_special"] = capture.other_keys.special
    return arrays


def fields(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """An :class:`AttentionCapture`'s fields out of a file, those of older files too.

    Raises:
        KeyError: If something is missing; TypeError or AttributeError if it is something else.
    """
    for array in arrays.values():
        array.flags.writeable = False
    # A layer of an array is a view of it, read-only too.
    layers: dict[str, Any] = {name: tuple(arrays[name]) for name in ("q", "k", "v")}
    key_meta = {name: meta.pop(f"key_{name}") for name in _SEQUENCE if f"key_{name}" in meta}
    if key_meta:
        layers["other_keys"] = Keys(**_tuples(key_meta), special=arrays["key_special"])
    if "bias" in arrays:
        layers["bias"] = tuple(bias if bias.any() else None for bias in arrays["bias"])
    return {
        **_tuples(meta),
        **layers,
        "special": arrays["special"],
        "weights": arrays["weights"],
        "allowed": tuple(None if mask.all() else mask for mask in arrays["allowed"]),
    }


def _tuples(meta: dict[str, Any]) -> dict[str, Any]:
    """JSON knows lists alone."""
    meta["offsets"] = [tuple(pair) for pair in meta["offsets"]]
    return {name: tuple(x) if isinstance(x, list) else x for name, x in meta.items()}
