"""File formats of attention captures: NumPy's .npz, and JSON.

The functions work on the fields of a capture by name, not on the capture itself, so that this
module does not import :mod:`model.capture.record`.
"""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

from model.capture.tokens import Keys
from model.errors import HeadlightError

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
"""Fields that describe a sequence of tokens."""

_OTHERS = ("stack", "scale", "origin", "attention_layers")


def to_npz(capture: Mapping[str, Any]) -> bytes:
    """Write a capture as a ``.npz`` file: arrays, and the other fields as a JSON text ``meta``."""
    everything = np.ones(capture["weights"].shape[2:], dtype=bool)  # (Tq, Tk)
    allowed = np.stack(  # L x (Tq, Tk) -> (L, Tq, Tk)
        [everything if mask is None else mask for mask in capture["allowed"]]
    )
    return write_npz(_meta(capture), {**_arrays(capture), "allowed": allowed})


def to_json(capture: Mapping[str, Any]) -> bytes:
    """Write a capture as JSON, arrays as nested lists that restore each float32 exactly."""
    arrays = {name: np.ascontiguousarray(array) for name, array in _arrays(capture).items()}
    # orjson refuses lone surrogates, which a notebook may pass; json escapes them.
    meta = {name: orjson.Fragment(json.dumps(value)) for name, value in _meta(capture).items()}
    return orjson.dumps({**meta, **arrays}, option=orjson.OPT_SERIALIZE_NUMPY)


def to_fields(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Rebuild the fields of a capture from a file's JSON values and arrays (made read-only).

    Files of earlier versions may lack newer fields. ``meta`` is changed.
    """
    for array in arrays.values():
        array.flags.writeable = False
    # Each layer is a view of the stacked array, and read-only like it.
    layers: dict[str, Any] = {name: tuple(arrays.get(name, ())) for name in ("q", "k", "v")}
    key_meta = {name: meta.pop(f"key_{name}") for name in _SEQUENCE if f"key_{name}" in meta}
    if key_meta:
        layers["other_keys"] = Keys(**_tuples(key_meta), special=arrays["key_special"])
    if "sink" in arrays:
        layers["sink"] = arrays["sink"]
    if "bias" in arrays:
        layers["bias"] = tuple(bias if bias.any() else None for bias in arrays["bias"])
    return {
        **_tuples(meta),
        **layers,
        "special": arrays["special"],
        "weights": arrays["weights"],
        "allowed": tuple(None if mask.all() else mask for mask in arrays["allowed"]),
    }


def write_npz(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write arrays, and other values as a JSON text ``meta``, as a ``.npz`` file."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays, meta=np.array(json.dumps(meta)))
    return file.getvalue()


def read_npz(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read the bytes that :func:`write_npz` wrote: JSON values and arrays by name.

    Raises:
        HeadlightError: If the bytes are not such a file.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return dict(json.loads(str(arrays.pop("meta")))), arrays
    except Exception as error:  # zipfile, zlib, struct, json and NumPy raise many types
        raise not_a_capture() from error


def not_a_capture() -> HeadlightError:
    """Make the error for a file that Headlight did not write."""
    return HeadlightError("This file is not a capture saved by Headlight.")


def _meta(capture: Mapping[str, Any]) -> dict[str, Any]:
    meta = {name: capture[name] for name in ("model", *_SEQUENCE, *_OTHERS)}
    if capture["other_keys"] is not None:
        meta |= {f"key_{name}": getattr(capture["other_keys"], name) for name in _SEQUENCE}
    return meta


def _arrays(capture: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays but the masks, layers stacked."""
    weights = capture["weights"]
    # (L, T, H, K), or nothing where they are unknown
    stacked = {name: np.stack(capture[name]) for name in ("q", "k", "v") if capture[name]}
    arrays = {"special": capture["special"], "weights": weights, **stacked}
    if capture["bias"] is not None:
        zeros = np.zeros(weights.shape[1:], weights.dtype)  # (H, Tq, Tk)
        arrays["bias"] = np.stack([zeros if b is None else b for b in capture["bias"]])
    if capture["sink"] is not None:
        arrays["sink"] = capture["sink"]
    if capture["other_keys"] is not None:
        arrays["key_special"] = capture["other_keys"].special
    return arrays


def _tuples(meta: dict[str, Any]) -> dict[str, Any]:
    """Turn the lists of JSON into tuples."""
    meta["offsets"] = [tuple(pair) for pair in meta["offsets"]]
    return {name: tuple(x) if isinstance(x, list) else x for name, x in meta.items()}
