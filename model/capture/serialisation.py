"""File formats of attention captures, from their fields by name: NPZ, safetensors (read), JSON."""

import io
import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np
import orjson
from safetensors.torch import load
from torch import Tensor

from model.capture.foreign_weights import check_rows, check_shape
from model.capture.sites import Stack
from model.capture.tokens import Keys
from model.errors import HeadlightError

_SEQUENCE = (
    *("text", "text_pair", "tokens", "token_ids", "offsets", "word_ids", "segment_ids"),
    "left_out",
)
"""Fields that describe a sequence of tokens."""

_OTHERS = ("stack", "scale", "origin", "attention_layers")


MAX_BYTES = 2**30
"""Most bytes that a file unpacks to, unless the caller allows more. All heads and vectors of a 12 x
12 model at 512 tokens take 170 MB."""

MOST_HEADER = 4 * 1024**2
"""Most bytes of the header of a safetensors file; that of BERT-large's weights has 40 kB."""

_FOREIGN = ("model", "tokens", "key_tokens", "special")
"""A name, and lists, beside the weights in a file of another program: see ``open_capture``."""

_PREFIXES = ("", "key_")
_BOOLEAN = ("special", "key_special", "allowed")
_OF_TOKENS: dict[str, Any] = {
    "tokens": str,
    "token_ids": int,
    "offsets": list,
    "word_ids": int | None,
    "segment_ids": int,
}
"""Fields with a value for each token, and its type."""


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


def to_fields(meta: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """Rebuild the fields of a capture from a file's JSON values (changed) and arrays.

    Files of earlier versions may lack newer fields. The arrays become read-only.
    """
    _check(meta, arrays)
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


def _check(meta: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Check the types, the shapes and the numbers of a file.

    Axes: L n_layers, H n_heads, G heads of keys and values, Tq queries, Tk keys, K d_head.
    """
    lengths = {each: len(meta[f"{each}tokens"]) for each in _PREFIXES if f"{each}text" in meta}
    n_queries, n_keys = lengths[""], lengths.get("key_", lengths[""])
    weights = arrays["weights"]
    _require("weights", weights.dtype == np.float32)
    check_shape(weights, n_queries, n_keys)
    n_layers, n_heads = weights.shape[:2]
    k, v = (arrays.get(name, np.zeros((0, 0, 1, 0))) for name in ("k", "v"))
    n_groups, d_head = (*k.shape, 0, 0, 0, 0)[2:4]
    expected = {
        "bias": (n_layers, n_heads, n_queries, n_keys),
        "q": (n_layers, n_queries, n_heads, d_head),
        "k": (n_layers, n_keys, n_groups, d_head),
        "v": (n_layers, n_keys, n_groups, v.shape[-1] if v.ndim else 0),
        "special": (n_queries if arrays["special"].size else 0,),
        "key_special": (n_keys if arrays.get("key_special", weights).size else 0,),
        "allowed": (n_layers, n_queries, n_keys),
        "sink": (n_layers, n_heads, n_queries),
    }
    known = meta.get("attention_layers")
    valid = known is None or (_all(known, int) and set(known) <= {*range(n_layers)})
    _require("attention_layers", valid)
    for name in filter(arrays.__contains__, expected):
        found, kind = arrays[name], bool if name in _BOOLEAN else np.float32
        _require(name, found.dtype == kind and found.shape == expected[name])
        if name in ("q", "k", "v") and known is not None:
            found = found[known]  # NaN in the others
        _require(name, name == "bias" or bool(np.isfinite(found).all()))
    _require("k", n_groups > 0 and n_heads % n_groups == 0)
    check_rows(weights, arrays.get("sink"), arrays["allowed"])
    scale = meta.get("scale")
    _require("scale", scale is None or (len(scale) == n_layers and _all(scale, float | int)))
    for prefix, length in lengths.items():
        for name, kinds in _OF_TOKENS.items():
            values = meta[prefix + name]
            fits = len(values) == length or (name == "token_ids" and not values)
            _require(prefix + name, fits and _all(values, kinds))
        pairs, left_out = meta[f"{prefix}offsets"], meta[f"{prefix}left_out"]
        _require(f"{prefix}offsets", all(len(each) == 2 and _all(each, int) for each in pairs))
        _require(f"{prefix}left_out", len(left_out) == 2 and _all(left_out, str))
        _require(f"{prefix}text", isinstance(meta[f"{prefix}text"], str))
        _require(f"{prefix}text_pair", isinstance(meta[f"{prefix}text_pair"], str | None))
    _require("model", isinstance(meta["model"], str))
    _require("stack", meta.get("stack", "encoder") in get_args(Stack))
    _require("origin", isinstance(meta.get("origin", {}), dict))


def _all(values: Any, kinds: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, kinds) for value in values)


def write_npz(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write arrays, and other values as a JSON text ``meta``, as a ``.npz`` file."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays, meta=np.array(json.dumps(meta)))
    return file.getvalue()


def read_file(
    source: bytes | str | Path, max_bytes: int = MAX_BYTES
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a file of :func:`write_npz` or of another program, by its path, or its bytes.

    Returns:
        JSON values and lists by name, and arrays by name: tensors in a safetensors file.

    Another file, or one of more than ``max_bytes`` unpacked, raises a HeadlightError.
    """
    data = source if isinstance(source, bytes) else _content(source, max_bytes)
    # A safetensors file begins with the length of its header, in 8 bytes, and the header.
    read = _safetensors if data[8:9] == b"{" else _npz
    try:
        if (len(data) if read is _safetensors else _unpacked(data, max_bytes)) <= max_bytes:
            return read(data)
    except Exception as error:  # zipfile, struct, json, NumPy and safetensors raise many types
        raise not_a_capture() from error
    raise _too_large(max_bytes)


def _content(path: str | Path, max_bytes: int) -> bytes:
    file = Path(path).expanduser()
    if not file.is_file():  # a pipe would wait
        raise HeadlightError("There is no file {name}. Check its path.", name=str(file))
    if file.stat().st_size > max_bytes:
        raise _too_large(max_bytes)
    return file.read_bytes()


def _too_large(max_bytes: int) -> HeadlightError:
    return HeadlightError(
        "The file unpacks to more than {most:,} bytes. Save fewer heads, or set max_bytes.",
        most=max_bytes,
    )


def _unpacked(data: bytes, most: int) -> int:
    """Count the bytes that an NPZ file unpacks to, by its directory and, up to a limit, its shapes.

    NumPy allocates an array by its shape before it reads it.
    """
    formats = np.lib.format
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        size = sum(part.file_size for part in zipped.infolist())
        for part in zipped.infolist() if size <= most else ():
            with zipped.open(part) as array:
                old = formats.read_magic(array) == (1, 0)
                read = formats.read_array_header_1_0 if old else formats.read_array_header_2_0
                shape, _, dtype = read(array)
            size += max(0, math.prod(shape) * dtype.itemsize - part.file_size)
    return size


def _npz(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if "meta" in arrays:
        return dict(json.loads(str(arrays.pop("meta")))), arrays
    return {name: arrays.pop(name).tolist() for name in _FOREIGN if name in arrays}, arrays


def _safetensors(data: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    end = 8 + int.from_bytes(data[:8], "little")
    if end > MOST_HEADER:
        raise not_a_capture()
    held = json.loads(data[8:end])["__metadata__"]
    meta = {name: held[name] for name in _FOREIGN if name in held}
    return {k: x if k == "model" else json.loads(x) for k, x in meta.items()}, load(data)


def _require(name: str, fits: bool) -> None:
    if not fits:
        raise HeadlightError(
            "This capture is damaged: the type, the shape or the numbers of “{name}” are wrong. "
            "Save it again.",
            name=name,
        )


def not_a_capture() -> HeadlightError:
    """Make the error for a file without attention weights."""
    return HeadlightError(
        "This file is not a capture: it was not saved by Headlight, and is no NPZ or safetensors "
        "file with “weights” and “tokens”."
    )


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
